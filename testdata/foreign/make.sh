#!/bin/sh
# Makes the files of this folder: runs the programs that are on the PATH, on a few MiB below a temporary folder, and stores what they print.
# By hand: figures differ from run to run, so that `read.py --write` follows, and a look at what changed.
#
#   ./make.sh               every program that is found
#   ./make.sh sysbench      this one
#
# Debian has sysbench 1.0, ioping, sysstat, bonnie++, fio, iperf3, NetPIPE 3 (netpipe-tcp), smbclient with samba, and iozone in non-free. IOR, mdtest, IO500,
# elbencho and other versions are built from their sources; each build that is first on the PATH adds files with its version in their names.
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

# What editors, mail, log collectors and PowerShell make of a file: pasted PROGRAM NAME EXTENSION
pasted() {
    of="$here/$1/$2"
    sed 's/^/    /' "$of.$3" > "$of-indented.$3"
    sed 's/^/> /' "$of.$3" > "$of-quoted.$3"
    sed 's/^/2026-11-28T02:00:00.1234567Z /' "$of.$3" > "$of-stamped.$3"
    sed 's/$/\r/' "$of.$3" > "$of-crlf.$3"
    { printf '\357\273\277' && cat "$of.$3"; } > "$of-bom.$3"
    { printf '\377\376' && iconv -f UTF-8 -t UTF-16LE "$of.$3"; } > "$of-utf16.$3"
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
    json fdatasync-every-4 --name=wal $common --rw=write --bs=2300 --fdatasync=4
    text mix-fsync --name=mix $common --rw=randrw --rwmixread=40 --bs=4k,16k --fsync=8
    json wait-for-three --name=first $common --rw=randread --bs=4k --name=second --wait_for=first $common --rw=write --bs=64k \
        --name=third --wait_for=second $common --rw=read --bs=128k
    json fsync-group --group_reporting --name=fg $common --rw=randwrite --bs=4k --numjobs=2 --fsync=1
    text start-delay --name=early $common --rw=randread --bs=4k --name=late --startdelay=2s $common --rw=read --bs=64k
    for depth in 1 2 4; do fio --name=d$depth $common --ioengine=libaio --iodepth=$depth --rw=randread --bs=4k --direct=1; done \
        > "$(out fio "$version-depths-appended.txt")"
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

sar_files() {
    version=$(sar -V 2>&1 | sed -n 's/^sysstat version //p')
    (sleep 1; dd if=/dev/zero of=file bs=64k count=512 oflag=direct 2> /dev/null; dd if=file of=/dev/null bs=4k count=2000 iflag=direct 2> /dev/null) &
    sar -o binary 1 5 > /dev/null
    wait
    sar -d -f binary > "$(out sar "$version.txt")"
    LC_ALL=C sar -d --pretty -f binary > "$(out sar "$version-pretty.txt")"
    sadf -d binary -- -d > "$(out sar "$version-database.csv")"
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
            for transfer in 64k 64k 256k; do
                mpirun -n 1 ior -a POSIX -t $transfer -b 1m -i 2 -e -O summaryFormat=JSON -O summaryFile=one.json -o data/ior > /dev/null 2>&1
                cat one.json
            done > "$(out ior "$version-appended.json")"
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

# Both ends of iperf3 on this machine. The server of `of_server` writes what it measured, and ends after the test.
iperf3_files() {
    version=$(iperf3 --version | sed -n '1s/^iperf \([0-9.]*\).*/\1/p')
    iperf3 -s -p 15301 -D --pidfile "$work/iperf3.pid" > /dev/null
    run="iperf3 -c 127.0.0.1 -p 15301 -i 0.5"
    udp="-u -b 20M"
    text() { # NAME OPTIONS: as text, and as JSON
        name=$1 && shift
        case $name in amount) ;; *) set -- -t 1 "$@" ;; esac
        sleep 0.3
        $run "$@" > "$(out iperf3 "$version-$name.txt")"
        sleep 0.3
        $run -J "$@" > "$(out iperf3 "$version-$name.json")"
    }
    appended() { # OPTIONS: a test, the same again, and two others
        for more in "" "" -R "$udp"; do
            sleep 0.3
            $run -t 1 $more "$@"
        done
    }
    sleep 1
    text tcp
    text parallel -P 3
    text reverse -R
    text udp $udp
    text udp-reverse $udp -R -P 2
    text amount -n 64M -l 64K
    text omit -O 1
    appended > "$(out iperf3 "$version-appended.txt")"
    appended -J > "$(out iperf3 "$version-appended.json")"
    for unit in k m g K M G; do
        sleep 0.3
        $run -t 1 -f $unit
    done > "$(out iperf3 "$version-units.txt")"
    sleep 0.3
    $run -t 1 -V -P 2 > "$(out iperf3 "$version-verbose.txt")"
    of_server() { # NAME OPTIONS-OF-SERVER -- OPTIONS
        target=$(out iperf3 "$version-$1") && shift
        server=
        while [ "$1" != -- ]; do server="$server $1" && shift; done
        shift
        iperf3 -s -p 15303 -i 0.5 $server > "$target" &
        sleep 0.5
        for more in "$@"; do
            iperf3 -c 127.0.0.1 -p 15303 -t 1 $more > /dev/null
            sleep 0.3
        done
        kill -INT $! 2> /dev/null || true
        wait $! || true
    }
    of_server server.txt -- "" "-R" "-P 2" "$udp"
    of_server server.json -J -1 -- ""
    case $version in
        3.[1-6] | 3.[1-6].*) ;;
        *)
            text bidirectional --bidir
            text udp-bidirectional $udp --bidir -P 2
            ;;
    esac
    case $version in
        3.[1-9] | 3.[1-9].* | 3.1[0-6] | 3.1[0-6].*) ;;
        *)
            appended --json-stream > "$(out iperf3 "$version-stream.json")"
            sleep 0.3
            $run -t 1 --json-stream --bidir -P 2 > "$(out iperf3 "$version-stream-bidirectional.json")"
            ;;
    esac
    kill "$(cat "$work/iperf3.pid")"
    case $version in
        3.12)
            pasted iperf3 "$version-parallel" txt
            pasted iperf3 "$version-udp" json
            sleep 0.5
            ;;
    esac
}

netpipe_files() {
    version=${NETPIPE_VERSION:-3.7.2}
    printed() { # NAME OPTIONS
        name=$1 && shift
        NPtcp -P 15302 "$@" > /dev/null 2>&1 &
        sleep 0.5
        NPtcp -P 15302 -h 127.0.0.1 -o np.out "$@" > "$(out netpipe "$version-$name.txt")" 2>&1
        mv np.out "$(out netpipe "$version-$name.out")"
        wait
    }
    case $version in
        5.*)
            # Its two processes are started by MPI; its port stays in use for a minute after each run.
            for mode in ping-pong both-ways; do
                sleep 61
                options=
                [ $mode = ping-pong ] || options=--bidir
                mpirun --oversubscribe -n 2 NPtcp --quick --end 2000 $options -o "$mode.out" > "$(out netpipe "$version-$mode.txt")" 2> /dev/null
            done
            mv ping-pong.out "$(out netpipe "$version-ping-pong.out")"
            # In np.out of version 5, sizes are those of both directions together, as if half as many messages were twice as long.
            return
            ;;
    esac
    printed ping-pong -l 1 -u 2000
    printed no-perturbation -p 0 -u 100000
    printed both-ways -2 -u 500
    cat "$here/netpipe/$version-no-perturbation.out" "$here/netpipe/$version-no-perturbation.out" > "$here/netpipe/$version-appended.out"
    printed fewer-repeats -p 0 -n 50 -u 64
    cat "$here/netpipe/$version-no-perturbation.txt" "$here/netpipe/$version-fewer-repeats.txt" "$here/netpipe/$version-both-ways.txt" > "$here/netpipe/$version-appended.txt"
    pasted netpipe "$version-ping-pong" txt
    pasted netpipe "$version-ping-pong" out
}

iozone_files() {
    version=$(iozone -v | sed -n 's/.*Version $Revision: \([0-9.]*\) .*/\1/p')
    text() { # NAME OPTIONS
        target=$(out iozone "$version-$1.txt") && shift && iozone "$@" > "$target"
    }
    text matrix -a -n 64k -g 256k
    text one-size -s 1m -r 64k
    text some-tests -a -n 64k -g 128k -i 0 -i 2 -i 5
    text no-retests -s 256k -r 64k -+n
    text operations -a -n 256k -g 256k -y 64k -O
    text microseconds -s 256k -r 4k -N
    text pwrite -a -n 512k -g 1m -y 256k -E
    text reports -Ra -n 64k -g 128k -b sheet.xls
    mv sheet.xls "$(out iozone "$version-reports.xls")"
    sed -n '/^Excel output is below/,$p' "$here/iozone/$version-reports.txt" > "$here/iozone/$version-reports-alone.txt"
    # Records below 64 KiB are left out for files above 16 MiB: zeros in the reports.
    text cut-off -Ra -n 16m -g 32m -y 16k -q 128k -i 0 -b sheet.xls
    mv sheet.xls "$(out iozone "$version-cut-off.xls")"
    text throughput -t 2 -s 256k -r 64k
    text throughput-range -l 1 -u 2 -s 256k -r 64k -i 0 -i 1 -i 8 -R
    text throughput-operations -t 2 -s 256k -r 64k -i 0 -i 2 -O
    text throughput-pwrite -t 2 -s 1m -r 64k -i 0 -i 9 -i 10
    text direct -s 256k -r 64k -i 0 -i 1 -I -e -c -b sheet.xls
    mv sheet.xls "$(out iozone "$version-direct.xls")"
    iozone -s 256k -r 64k -i 0 -i 1 -O -R -b sheet.xls > /dev/null
    mv sheet.xls "$(out iozone "$version-operations.xls")"
    for options in "-i 0" "-i 0" "-i 0 -i 1"; do
        iozone -a -n 64k -g 128k -q 32k $options
    done > "$(out iozone "$version-appended.txt")"
    (iozone -t 2 -s 1m -r 64k -i 0; iozone -t 2 -s 1m -r 64k -i 0; iozone -t 3 -s 1m -r 64k -i 0) > "$(out iozone "$version-throughput-appended.txt")"
    pasted iozone "$version-some-tests" txt
}

elbencho_files() {
    version=$(elbencho --version | sed -n 's/.*Version: *//p')
    mkdir -p elbencho one two
    keep() { # NAME: stores the files
        for kind in csv json txt; do mv "result.$kind" "$(out elbencho "$version-$1.$kind")"; done
    }
    files="--csvfile result.csv --jsonfile result.json --nolive"
    all() { # NAME OPTIONS: text, CSV and JSON of the same phases
        name=$1 && shift
        elbencho $files "$@" > result.txt
        keep "$name"
    }
    all large -w -r -t 2 -s 400m -b 1m --lat file
    all random -w -r -t 2 -s 40m -b 4k --rand --iodepth 4 --lat --latpercent --direct file
    all mixed -w -t 2 -s 40m -b 4k --rand --rwmixpct 40 --lat file
    all mixed-threads -w -t 4 -s 4m -b 4k --rand --rwmixthr 2 --lat file
    all files -d -w --stat -r -F -D -t 2 -n 2 -N 8 -s 16k -b 16k --lat --latpercent elbencho
    all iterations -w -r -t 1 -i 2 -s 1m -b 64k --lat file
    all latency-all -w -r -t 1 -s 1m -b 64k --lat --latpercent --lathisto --allelapsed --cpu file
    for block in 64k 64k 128k; do
        elbencho $files -w -r -t 2 -s 4m -b $block --lat file
    done > result.txt
    keep appended
    pasted elbencho "$version-large" txt
    pasted elbencho "$version-large" csv
}

# A server of Samba on this machine, for anonymous use.
smbclient_files() {
    version=$(smbclient --version | sed 's/^Version \([0-9.]*\).*/\1/')
    mkdir -p samba share
    chmod 777 share
    cat > smb.conf <<- END
	[global]
	map to guest = Bad User
	private dir = $work/samba
	lock directory = $work/samba
	state directory = $work/samba
	cache directory = $work/samba
	pid directory = $work/samba
	ncalrpc dir = $work/samba
	log file = $work/samba/log
	smb ports = 15445
	bind interfaces only = yes
	interfaces = lo
	load printers = no
	[data]
	path = $work/share
	guest ok = yes
	read only = no
	force user = root
	END
    smbd -s smb.conf -D -l "$work/samba"
    sleep 1
    head -c 40000000 /dev/urandom > large.bin
    head -c 3000000 /dev/urandom > middle.bin
    head -c 100000 /dev/zero > "with space.bin"
    : > empty
    session() { # NAME COMMANDS
        target=$(out smbclient "$version-$1.txt") && shift && smbclient //127.0.0.1/data -N -p 15445 -c "$*" > "$target" 2>&1
    }
    session put-get "put large.bin; put middle.bin; get large.bin; get middle.bin"
    session rounds "put large.bin; put large.bin; put large.bin; get large.bin; get large.bin copy"
    session small 'put empty; put "with space.bin"; get empty; get "with space.bin"; ls; reget middle.bin'
    session several "mkdir folder; prompt; mput *.bin; mget *.bin; cd folder; put middle.bin; get middle.bin"
    session error "put middle.bin; get nothing; get middle.bin" || true
    for i in 1 2; do
        smbclient //127.0.0.1/data -N -p 15445 -c "get large.bin"
    done > "$(out smbclient "$version-appended.txt")" 2>&1
    pasted smbclient "$version-put-get" txt
    kill "$(cat "$work/samba/smbd.pid")"
}

for program in ${*:-fio sysbench ioping iostat sar bonnie dd ior mdtest io500 iperf3 netpipe iozone elbencho smbclient}; do
    case $program in
        bonnie) command=bonnie++ ;;
        netpipe) command=NPtcp ;;
        *) command=$program ;;
    esac
    if command -v "$command" > /dev/null; then
        echo "$program: $(command -v "$command")"
        "${program}_files"
    else
        echo "$program: not found, its files stay"
    fi
done
# The temporary folder has another name each time.
grep -rl "$work" "$here" | xargs -r sed -i "s|$work|/scratch|g"
