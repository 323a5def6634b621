// An NFS 3 server for tests: the module github.com/willscott/go-nfs over a folder of this machine. MOUNT and NFS share one port, there is no portmapper, and no
// list of exports. Usage: go_nfs 127.0.0.1:0 FOLDER; it prints its address.
package main

import (
	"fmt"
	"net"
	"os"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	nfs "github.com/willscott/go-nfs"
	nfshelper "github.com/willscott/go-nfs/helpers"
)

// The folder, with the changes of attributes that the module asks for.
type folder struct {
	billy.Filesystem
}

func (f folder) Chmod(name string, mode os.FileMode) error {
	return os.Chmod(f.Join(f.Root(), name), mode)
}

func (f folder) Lchown(name string, uid, gid int) error {
	return os.Lchown(f.Join(f.Root(), name), uid, gid)
}

func (f folder) Chown(name string, uid, gid int) error {
	return os.Chown(f.Join(f.Root(), name), uid, gid)
}

func (f folder) Chtimes(name string, atime time.Time, mtime time.Time) error {
	return os.Chtimes(f.Join(f.Root(), name), atime, mtime)
}

func main() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	handler := nfshelper.NewNullAuthHandler(folder{osfs.New(os.Args[2])})
	panic(nfs.Serve(listener, nfshelper.NewCachingHandler(handler, 100000)))
}
