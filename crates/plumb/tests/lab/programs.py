"""Programs of the lab that Debian has no ready one for: readers, and a database's commits.

programs.py read FILE threads count size pause_ms compute_ms lock barrier
programs.py commit FOLDER commits rows_per_commit journal_mode
programs.py map FILE count
programs.py again FILE rounds
"""

import mmap
import os
import random
import sqlite3
import sys
import threading
import time


def compute(ms):
    end = time.thread_time() + ms / 1000
    while time.thread_time() < end:
        pass


def read(path, threads, count, size, pause_ms, compute_ms, lock, barrier):
    file = os.open(path, os.O_RDONLY)
    blocks = os.fstat(file).st_size // size
    guard = threading.Lock() if lock else None
    together = threading.Barrier(threads) if barrier else None

    def work(number):
        places = random.Random(number)
        for _ in range(count // threads):
            at = places.randrange(blocks) * size
            if guard:
                with guard:
                    os.pread(file, size, at)
            else:
                os.pread(file, size, at)
            if together:
                together.wait()
            if pause_ms:
                time.sleep(pause_ms / 1000)
            if compute_ms:
                compute(compute_ms)

    if threads == 1:
        return work(0)
    workers = [threading.Thread(target=work, args=(n,)) for n in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def commit(folder, rows, rows_per_commit, journal):
    path = os.path.join(folder, "app.db")
    for end in ("", "-wal", "-shm", "-journal"):
        if os.path.exists(path + end):
            os.remove(path + end)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("pragma journal_mode=" + journal)
    database.execute("pragma synchronous=full")
    database.execute("create table t(a)")
    for _ in range(rows // rows_per_commit):
        database.execute("begin")
        for row in range(rows_per_commit):
            database.execute("insert into t values(?)", (row,))
        database.execute("commit")


def mapped(path, count):
    file = os.open(path, os.O_RDONLY)
    size = os.fstat(file).st_size
    with mmap.mmap(file, size, prot=mmap.PROT_READ) as memory:
        memory.madvise(mmap.MADV_RANDOM)
        places = random.Random(1)
        sum(memory[places.randrange(size)] for _ in range(count))


def again(path, rounds):
    file = os.open(path, os.O_RDONLY)
    for _ in range(rounds):
        at = 0
        while block := os.pread(file, 128 << 10, at):
            at += len(block)


if __name__ == "__main__":
    verb, path, *rest = sys.argv[1:]
    if verb == "read":
        read(path, *(int(word) for word in rest))
    elif verb == "commit":
        commit(path, int(rest[0]), int(rest[1]), rest[2])
    elif verb == "again":
        again(path, int(rest[0]))
    else:
        mapped(path, int(rest[0]))
