#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
    while (length) { ULONG part = length > 0x10000000 ? 0x10000000 : (ULONG)length; if (!RtlGenRandom(data, part)) return FALSE; data += part; length -= part; }
    return TRUE;
}
