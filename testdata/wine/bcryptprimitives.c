// What does Rust's standard library ask of bcryptprimitives.dll, which Wine 8 lacks? Random bytes: here from RtlGenRandom.

#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length) {
    while (length > 0) {
        ULONG part = length > 0x10000000 ? 0x10000000 : (ULONG)length;
        if (!RtlGenRandom(bytes, part)) {
            return FALSE;
        }
        bytes += part;
        length -= part;
    }
    return TRUE;
}
