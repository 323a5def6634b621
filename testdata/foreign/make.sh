#!/bin/sh
# Makes the files of this folder: runs the programs that are on the PATH, on a few MiB below a temporary folder, and stores what they print.
# By hand: figures differ from run to run, so that `read.py --write` follows, and a look at what changed.
#
#   ./make.sh               every program that is found
#   ./make.sh sysbench      this one
#
# Debian has sysbench 1.0, ioping, sysstat, bonnie++ and fio. IOR, mdtest, IO500 and other versions are built from their sources; each build that is
# first on the PATH adds files with its version in their names.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Where a file goes: out PROGRAM NAME
out() {
    mkdir -p "$here/$1"
    echo "$here/$1/$2"
}

fio_files() {
    version=$(fio --version | sed 's/^fio-\([0-9.]*\).*/\1/')
    common="--directory=$work --size=1m --ioengine=psync"
    json() { # NAME OPTIONS
        target=$(out fio "$version-$1.json") && shift && fio --output-format=json --output="$target" "$@" > /dev/null
    }
    text() { # NAME OPTIONS
        target=$(out fio "$version-$1.txt") && shift && fio "$@" > "$target"
    }
    json read --name=a $common --rw=randread --bs=4k
    text read --name=a $common --rw=randread --bs=4k
    text mix --name=a $common --rw=randrw --rwmixread=70 --bs=4k
    for kind in fsync=4 fdatasync=1; do
        json "${kind%=*}" --name=a $common --rw=write --bs=16k "--$kind"
        text "${kind%=*}" --name=a $common --rw=write --bs=16k "--$kind"
    done
    json two-groups --name=a $common --rw=read --bs=64k --name=b --stonewall $common --rw=write --bs=64k
    text numjobs --name=a $common --rw=read --bs=64k --numjobs=3
    text group --name=a $common --rw=read --bs=64k --numjobs=3 --group_reporting
    text terse --minimal --name=a $common --rw=randread --bs=4k --numjobs=2
    case $version in 2.* | 3.1) return ;; esac
    json plus --output-format=json+ --name=a $common --rw=randread --bs=4k --lat_percentiles=1
    json wait-for --name=A $common --rw=randread --bs=4k --name=B $common --rw=read --bs=64k --wait_for=A
    json start-delay --name=A $common --rw=randread --bs=4k --name=B $common --rw=read --bs=64k --startdelay=1
    json sync-file-range --name=a $common --rw=write --bs=16k --sync_file_range=write:4
    json dsync --name=a $common --rw=write --bs=16k --sync=dsync
    json end-fsync --name=a $common --rw=write --bs=16k --end_fsync=1
    json trim --name=a --ioengine=null --size=1m --rw=trim --bs=4k
    text unit-base --name=a $common --rw=read --bs=64k --unit_base=1
    text kb-base --name=a $common --rw=read --bs=64k --kb_base=1000
    text two-sizes --name=a $common --rw=rw --bs=4k,64k
    text status-interval --name=a --ioengine=null --size=100g --rw=randread --bs=4k --time_based --runtime=3 --status-interval=1
    for i in 1 2 3; do fio --name=a $common --rw=randread --bs=4k; done > "$(out fio "$version-same-appended.txt")"
    for rw in read write randread; do fio --name=$rw $common --rw=$rw --bs=16k; done > "$(out fio "$version-others-appended.txt")"
    for i in 1 2; do fio --output-format=json --name=a $common --rw=randread --bs=4k; done > "$(out fio "$version-appended.json")"
    for i in 1 2; do fio --minimal --name=a $common --rw=randread --bs=4k; done > "$(out fio "$version-terse-appended.txt")"
    # What editors, mail, log collectors and PowerShell make of it.
    from="$here/fio/$version"
    sed 's/^/    /' "$from-read.txt" > "$from-indented.txt"
    sed 's/^/> /' "$from-read.txt" > "$from-quoted.txt"
    sed 's/^/2026-11-28T02:00:00.1234567Z /' "$from-mix.txt" > "$from-stamped.txt"
    sed 's/$/\r/' "$from-read.json" > "$from-crlf.json"
    { printf '\357\273\277' && cat "$from-read.json"; } > "$from-bom.json"
    for kind in txt json; do
        { printf '\377\376' && iconv -f UTF-8 -t UTF-16LE "$from-read.$kind"; } > "$from-utf16.$kind"
    done
    fio --server=127.0.0.1,8801 --daemonize="$work/one" > /dev/null
    fio --server=127.0.0.2,8802 --daemonize="$work/two" > /dev/null
    printf '[a]\nioengine=null\nsize=1g\nrw=randread\nbs=4k\n' > job.fio
    clients="--client=127.0.0.1,8801 job.fio --client=127.0.0.2,8802 job.fio"
    sleep 1
    text clients $clients
    fio --output-format=json $clients > "$from-clients.json"
    kill "$(cat one)" "$(cat two)"
    json h --name=h --ioengine=null --size=100g --rw=randrw --bs=4k --time_based --runtime=1 --rate_iops=500,500 \
        --write_hist_log=h --log_hist_msec=500 --log_hist_coarseness=3
    mv h_clat_hist.1.log "$from-h_clat_hist.1.log"
}

sysbench_files() {
    version=$(sysbench --version | sed 's/^sysbench \([0-9.]*\).*/\1/')
    size="--file-total-size=16M --file-num=4"
    case $version in
        0.*)
            run="sysbench --test=fileio $size --max-requests=0 --max-time=1"
            sysbench --test=fileio $size prepare > /dev/null
            $run --file-test-mode=rndrw --num-threads=2 run > "$(out sysbench "$version-rndrw.txt")"
            $run --file-test-mode=seqrd run > "$(out sysbench "$version-seqrd.txt")"
            return
            ;;
    esac
    run="sysbench fileio $size --time=1"
    sysbench fileio $size prepare > /dev/null
    case $version in
        1.1*)
            # Its fsync fails: the file is lost in file_fsync().
            run="$run --file-fsync-freq=0 --file-fsync-end=off"
            for mode in rndrw seqrd rndwr; do
                $run --file-test-mode=$mode run
            done > "$(out sysbench "$version-without-fsync.txt")"
            return
            ;;
    esac
    $run --file-test-mode=rndrw --threads=2 run > "$(out sysbench "$version-rndrw.txt")"
    $run --file-test-mode=seqrd --report-interval=1 --time=2 run > "$(out sysbench "$version-seqrd-intervals.txt")"
    $run --file-test-mode=rndwr --file-extra-flags=direct --file-fsync-freq=0 --file-fsync-end=off --percentile=99 \
        --rate=100 --file-block-size=4096 run > "$(out sysbench "$version-rndwr-direct-rate.txt")"
    $run --file-test-mode=rndwr --file-fsync-all=on --percentile=0 run > "$(out sysbench "$version-rndwr-fsync-all.txt")"
    for mode in seqwr seqrewr rndrd rndrd rndwr; do
        $run --file-test-mode=$mode run
    done > "$(out sysbench "$version-modes-appended.txt")"
    $run --file-test-mode=rndwr --time=4 --report-checkpoints=1,2 run > "$(out sysbench "$version-checkpoints.txt")"
}

ioping_files() {
    version=${IOPING_VERSION:-$(ioping -v 2>&1 | sed -n 's/^ioping //p')}
    mkdir -p ioping
    ioping -c 30 -i 0.01 ioping > "$(out ioping "$version-reads.txt")"
    ioping -R -w 0.2 ioping > "$(out ioping "$version-rapid.txt")"
    case $version in
        0.[0-7]*) return ;;
    esac
    ioping -B -c 20 -i 0.01 ioping > "$(out ioping "$version-batch.txt")"
    case $version in
        0.*) return ;;
    esac
    ioping -W -c 10 -i 0.01 ioping > "$(out ioping "$version-writes.txt")"
    ioping -q -p 5 -c 20 -i 0.01 ioping > "$(out ioping "$version-periods.txt")"
    (ioping -c 12 -i 0.01 ioping; ioping -c 12 -i 0.01 ioping; ioping -c 12 -i 0.01 -s 64k ioping) > "$(out ioping "$version-appended.txt")"
    case $version in
        1.[01]*) return ;;
    esac
    ioping -G -c 20 -i 0.01 ioping > "$(out ioping "$version-reads-and-writes.txt")"
    ioping -I -c 10 -i 0.01 ioping > "$(out ioping "$version-times.txt")"
    ioping -J -c 10 -i 0.01 ioping > "$(out ioping "$version-requests.json")"
}

iostat_files() {
    version=$(iostat -V 2>&1 | sed -n 's/^sysstat version //p')
    (sleep 1; dd if=/dev/zero of=file bs=64k count=512 oflag=direct 2> /dev/null; dd if=file of=/dev/null bs=4k count=2000 iflag=direct 2> /dev/null) &
    S_TIME_FORMAT=ISO iostat -xt 1 5 > "$(out iostat "$version-times.txt")" &
    iostat -xm 1 4 > "$(out iostat "$version-mebibytes.txt")" &
    iostat -xz 1 4 > "$(out iostat "$version-active-only.txt")" &
    case $version in
        12.*) S_TIME_FORMAT=ISO iostat -xt -o JSON 1 4 > "$(out iostat "$version.json")" & ;;
    esac
    wait
}

bonnie_files() {
    bonnie="bonnie++ -d . -s 1024 -r 16 -n 1 -u root -q -m host"
    $bonnie 2> /dev/null > bonnie.csv
    version=$(cut -d, -f2 bonnie.csv)
    mv bonnie.csv "$(out bonnie "$version.csv")"
    ($bonnie -n 0; $bonnie -n 0; $bonnie -s 0 -n 8:4096:1024:3) 2> /dev/null > "$(out bonnie "$version-appended.csv")"
}

dd_files() {
    (
        dd if=/dev/zero of=file bs=64k count=100 conv=fsync
        dd if=/dev/zero of=file bs=64k count=100 conv=fsync
    ) 2> "$(out dd rounds.txt)"
    head -c 1000000 /dev/zero | dd of=file bs=4k 2> "$(out dd partial-records.txt)"
}

ior_files() {
    mkdir -p data
    mpirun --oversubscribe -n 2 ior -a POSIX -t 64k -b 1m -s 2 -i 3 -F -C -e -o data/ior > ior.txt 2> /dev/null
    version=$(sed -n 's/^IOR-\(.*\): MPI Coordinated.*/\1/p' ior.txt)
    mv ior.txt "$(out ior "$version-repetitions.txt")"
    (for transfer in 64k 256k; do mpirun -n 1 ior -a POSIX -t $transfer -b 1m -w -r -e -o data/ior; done) > "$(out ior "$version-appended.txt")" 2> /dev/null
    mpirun -n 1 ior -a POSIX -t 64k -b 1m -z -v -v -D 1 -o data/ior > "$(out ior "$version-verbose-random.txt")" 2> /dev/null
    case $version in
        4.*)
            mpirun -n 1 ior -a POSIX -t 64k -b 1m -i 2 -O summaryFormat=CSV -o data/ior > "$(out ior "$version.csv")" 2> /dev/null
            ;;
    esac
}

mdtest_files() {
    mkdir -p data
    mpirun --oversubscribe -n 2 mdtest -n 50 -i 3 -u -d data/mdtest > mdtest.txt 2> /dev/null
    version=$(sed -n 's/^mdtest-\(.*\) was launched.*/\1/p' mdtest.txt)
    mv mdtest.txt "$(out mdtest "$version-iterations.txt")"
    mpirun --oversubscribe -n 2 mdtest -n 20 -F -w 3901 -e 3901 -v -d data/mdtest > "$(out mdtest "$version-files-verbose.txt")" 2> /dev/null
}

io500_files() {
    cat > io500.ini <<- 'END'
	[global]
	datadir = ./datafiles
	timestamp-datadir = FALSE
	timestamp-resultdir = FALSE
	[debug]
	stonewall-time = 1
	[ior-easy]
	blockSize = 20m
	[ior-hard]
	segmentCount = 200
	[mdtest-easy]
	n = 200
	[mdtest-hard]
	n = 100
	END
    mpirun --oversubscribe -n 2 io500 io500.ini > io500.txt 2> /dev/null
    version=$(sed -n 's/^IO500 version io500-\([^ ]*\).*/\1/p' io500.txt)
    mv io500.txt "$(out io500 "$version-printed.txt")"
    mv results/result_summary.txt "$(out io500 "$version-result_summary.txt")"
    mv results/result.txt "$(out io500 "$version-result.txt")"
}

for program in ${*:-fio sysbench ioping iostat bonnie dd ior mdtest io500}; do
    command=$program
    [ "$program" != bonnie ] || command=bonnie++
    if command -v "$command" > /dev/null; then
        echo "$program: $(command -v "$command")"
        "${program}_files"
    else
        echo "$program: not found, its files stay"
    fi
done
# The temporary folder has another name each time.
grep -rl "$work" "$here" | xargs -r sed -i "s|$work|/scratch|g"
