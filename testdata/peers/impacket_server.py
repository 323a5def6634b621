# The SMB server of impacket on loopback, for one user: impacket_server.py PORT FOLDER USER PASSWORD 1|2 (the highest version of SMB that it speaks).
import sys

from impacket import ntlm
from impacket.smbserver import SimpleSMBServer

port, folder, user, password, version = sys.argv[1:]
server = SimpleSMBServer(listenAddress="127.0.0.1", listenPort=int(port))
server.addShare("SHARE", folder, "")
server.setSMB2Support(version == "2")
server.addCredential(user, 0, ntlm.compute_lmhash(password), ntlm.compute_nthash(password))
server.setSMBChallenge("")
server.start()
