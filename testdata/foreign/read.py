#!/usr/bin/env python3
"""What do the files of other programs state? An independent reader, by the documentation of each format, not by plumb's code.

    read.py FILE...      prints one JSON object a line for each figure set that the files state
    read.py --write      writes expected.json: those of every file in the folders beside this script

One function per program, named as its folder. Each yields objects:

    run, step, round     counted from 0, in the order of the file; a step is what the program measured under one set of parameters
    kind                 read, write, ... as plumb names operations, or total for figures over all kinds
    iops, bytes_per_s, count, bytes, mean_ns, min_ns, max_ns, p50_ns, p95_ns, p99_ns, p99_9_ns, p99_99_ns
                         [value, half of the last printed digit], or null where the file has the kind but not the figure

A figure that a file does not state and that does not follow from it exactly is not there.
"""
import calendar
import csv
import json
import os
import re
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LATENCIES = ["mean_ns", "min_ns", "max_ns", "p50_ns", "p95_ns", "p99_ns", "p99_9_ns", "p99_99_ns"]


def figure(text, scale=1.0):
    """A printed number times `scale`, with half of its last digit."""
    text = text.strip()
    whole, _, fraction = text.partition(".")
    exponent = 0
    if "e" in text.lower():
        mantissa, _, power = text.lower().partition("e")
        exponent, fraction = int(power), mantissa.partition(".")[2]
    digit = 10.0 ** (exponent - len(fraction))
    return [float(text) * scale, 0.5 * digit * scale]


def exact(number):
    return [number, 0]


def no_latency(entry):
    for name in LATENCIES:
        entry.setdefault(name, None)
    return entry


def lines_of(path):
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace").replace("\r\n", "\n").split("\n")


def diskspd(path):
    """ResultParser.cpp: three tables a time span (all, reads, writes), each with a row `total:`; percentiles over all targets come last."""
    run, step, section, of_target, tables, percentiles = -1, -1, None, False, {}, {}
    done = []
    only = None
    mix = None

    def close():
        if step < 0 or "Total" not in tables:
            return
        kinds = {"Total": "total", "Read": "read", "Write": "write"}
        stated = dict(tables)
        if "Read" not in stated and only:
            stated[only] = stated["Total"]
        for name, fields in stated.items():
            if fields["I/Os"] == "0":
                continue
            entry = {"run": run, "step": step, "round": 0, "kind": kinds[name]}
            entry["iops"] = figure(fields["I/O per s"])
            entry["bytes_per_s"] = figure(fields["MiB/s"], 1048576)
            if name != "Total":
                entry["count"] = exact(int(fields["I/Os"]))
                entry["bytes"] = exact(int(fields["bytes"]))
            if "AvgLat" in fields:
                entry["mean_ns"] = figure(fields["AvgLat"], 1e6)
            for row, values in percentiles.items():
                value = values["Total" if "Read" not in tables else name]
                if value != "N/A":
                    entry[row] = figure(value, 1e6)
            done.append(no_latency(entry))

    rows = {"min": "min_ns", "max": "max_ns", "50th": "p50_ns", "95th": "p95_ns", "99th": "p99_ns", "3-nines": "p99_9_ns", "4-nines": "p99_99_ns"}
    columns = []
    for line in lines_of(path):
        if line.startswith("Command Line:"):
            close()
            run, step, tables, percentiles, section, only = run + 1, -1, {}, {}, None, None
        elif line.strip().startswith("performing "):
            only = {"performing read test": "Read", "performing write test": "Write"}.get(line.strip())
        elif line.startswith("Results for timespan"):
            close()
            step, tables, percentiles, section = step + 1, {}, {}, None
        elif line.strip() == "Totals:":
            close()
            tables, section = {}, None
        elif line in ("Total IO", "Read IO", "Write IO"):
            section = line.split()[0]
        elif line.startswith("thread |"):
            columns = [name.strip() for name in line.split("|")]
        elif line.startswith("total:") and section:
            fields = [field.strip() for field in line[len("total:"):].split("|")]
            tables[section] = dict(zip(columns[1:], fields))
        elif line.startswith("Latency distribution:"):
            of_target = True
        elif line.startswith("Total latency distribution:"):
            of_target = False
        elif line.count("|") == 3 and not of_target and line.split("|")[0].strip() in rows:
            name, read, write, total = [field.strip() for field in line.split("|")]
            percentiles[rows[name]] = {"Read": read, "Write": write, "Total": total}
    close()
    return done


def bonnie(path):
    """bonnie++(8), CSV of format 1.98: K/s are KiB, latencies those of the slowest call; lines with the same setup are rounds, others runs."""
    file_tests = [("write", 1024), ("write", 1024), ("rewrite", 1024), ("read", 1024), ("read", 1024), ("total", None)]
    setups, rounds = [], {}
    for line in lines_of(path):
        fields = line.split(",")
        if len(fields) != 50 or not re.match(r"[\d.]+$", fields[0]):
            continue
        setup = fields[:4] + fields[5:9] + fields[21:26]
        if setup not in setups:
            setups.append(setup)
        run = setups.index(setup)
        rounds[run] = rounds.get(run, -1) + 1
        # Names of empty files are stat'ed only.
        reads = fields[22] not in ("", "0") and "read-file" or "stat"
        name_tests = [(kind, None) for kind in ("create", reads, "delete") * 2]
        step = 0
        for index, (kind, unit) in enumerate(file_tests + name_tests):
            rate = fields[9 + 2 * index if index < 6 else 26 + 2 * (index - 6)]
            if not rate:
                continue
            entry = {"run": run, "step": step, "round": rounds[run], "kind": kind}
            entry["bytes_per_s" if unit else "iops"] = None if rate.startswith("+") else figure(rate, unit or 1)
            latency = re.match(r"([\d.]+)(us|ms|s)$", fields[38 + index])
            if latency:
                entry["max_ns"] = figure(latency[1], {"us": 1e3, "ms": 1e6, "s": 1e9}[latency[2]])
            yield no_latency(entry)
            step += 1


def dd(path):
    """dd(1): records out, full and partial, then bytes and seconds. Bytes of a record are the block size unless records are partial."""
    steps, rounds = [], {}
    for line in lines_of(path):
        out = re.match(r"(\d+)\+(\d+) records out", line)
        if out:
            count = int(out[1]) + int(out[2])
            is_partial = out[2] != "0"
        done = re.match(r"(\d+) bytes.* copied, ([\d.e-]+) s,", line)
        if done:
            size, seconds = int(done[1]), figure(done[2])
            block = None if is_partial else size // count
            if block not in steps:
                steps.append(block)
            step = steps.index(block)
            rounds[step] = rounds.get(step, -1) + 1
            spread = seconds[1] / seconds[0] + 1e-9 / seconds[0]
            yield no_latency({"run": 0, "step": step, "round": rounds[step], "kind": "write", "count": exact(count), "bytes": exact(size),
                              "bytes_per_s": [size / seconds[0], size / seconds[0] * spread]})


def sysbench(path):
    """sb_fileio.c of 0.4, 0.5, 1.0 and 1.1. Latencies are of all events: of a kind only where it is the only one."""
    text = "\n".join(lines_of(path))
    reports, options = [], ""
    # A report ends with its latencies; options hold for the reports until the next banner.
    for part in re.split(r"(?m)^(?=sysbench \d)", text):
        head, *bodies = re.split(r"(?m)^(?=File operations:|Operations performed:|Throughput:\n +read:)", part)
        reports += [(head, body) for body in bodies]
    steps, rounds = [], {}
    for head, body in reports:
        options = re.sub(r"(?s).*Extra file open flags", "", head).split("Initializing worker")[0].split("Threads started")[0]
        options += "".join(re.findall(r"Number of threads: .*|Target transaction rate: .*", head))
        if options not in steps:
            steps.append(options)
        step = steps.index(options)
        round_ = rounds[step] = rounds.get(step, -1) + 1
        block = re.search(r"Block size (\d+)([KMG]?)i?[bB]", head)
        block = int(block[1]) * {"": 1, "K": 1024, "M": 1 << 20, "G": 1 << 30}[block[2]]
        kinds = {}
        counted = re.search(r"Operations performed: +(\d+) [Rr]eads?, (\d+) [Ww]rites?, (\d+) Other", body)
        seconds = re.search(r"total time: +([\d.]+)s", body)
        if counted:
            for kind, count in zip(["read", "write", "flush"], map(int, counted.groups())):
                if count:
                    kinds[kind] = {"count": exact(count)}
                    span = figure(seconds[1])
                    kinds[kind]["iops"] = [count / span[0], count / span[0] * span[1] / span[0] * 1.01]
                    if kind != "flush":
                        kinds[kind]["bytes"] = exact(count * block)
        else:
            for kind, names, size in [("read", r"reads/s:|read:  IOPS=", r"read, MiB/s:|read:  IOPS=[\d.]+"), ("write", r"writes/s:|write: IOPS=", r"written, MiB/s:|write: IOPS=[\d.]+"), ("flush", r"fsyncs/s:|fsync: IOPS=", None)]:
                rate = re.search(rf"(?:{names}) *([\d.]+)", body)[1]
                if float(rate) == 0:
                    continue
                kinds[kind] = {"iops": figure(rate)}
                if size:
                    kinds[kind]["bytes_per_s"] = figure(re.search(rf"(?:{size}) +([\d.]+)", body)[1], 1048576)
        times = {}
        for name, pattern in [("min_ns", r"min: +([\d.]+)"), ("max_ns", r"max: +([\d.]+)"), ("p95_ns", r"95(?:th)? percentile: +([\d.]+)"), ("p99_ns", r"99(?:th)? percentile: +([\d.]+)")]:
            found = re.search(pattern, body)
            # 0.00 is less than can be printed.
            times[name] = figure(found[1], 1e6) if found and float(found[1]) > 0 else None
        events = re.search(r"total number of events: +(\d+)", body)
        total = re.search(r"sum: +([\d.]+)", body) or re.search(r"event execution: +([\d.]+)", body)
        if events:
            sum_ns = figure(total[1], 1e6 if "sum:" in body else 1e9)
            times["mean_ns"] = [part / int(events[1]) for part in sum_ns]
        else:
            mean = re.search(r"avg: +([\d.]+)", body)[1]
            times["mean_ns"] = figure(mean, 1e6) if float(mean) > 0 else None
        for kind, entry in kinds.items():
            of_kind = times if len(kinds) == 1 else {}
            yield no_latency({"run": 0, "step": step, "round": round_, "kind": kind, **entry, **of_kind})
        blocks = [kinds[kind]["iops"] for kind in ("read", "write") if kind in kinds]
        rate = [sum(rate[0] for rate in blocks), sum(rate[1] for rate in blocks)]
        yield no_latency({"run": 0, "step": step, "round": round_, "kind": "total", "iops": rate, **times})


UNITS = {"": 1, "B": 1, "bytes": 1, "KiB": 1 << 10, "kb": 1 << 10, "MiB": 1 << 20, "mb": 1 << 20, "GiB": 1 << 30}
TIMES = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9}
TENS = {"": 1, "k": 1e3, "M": 1e6}


def ioping(path):
    """ioping.c: rates are over the time of the requests; requests that are marked with anything but fast or slow do not count."""
    if path.endswith(".json"):
        for part in json.loads("\n".join(lines_of(path))):
            if "stat" in part:
                stat = part["stat"]
                yield {"run": 0, "step": 0, "round": 0, "kind": "read", "count": exact(stat["count"]), "bytes": exact(stat["size"]),
                       "iops": [stat["iops"], stat["iops"] * 1e-6], "mean_ns": [stat["avg"], 0.5], "min_ns": exact(stat["min"]), "max_ns": exact(stat["max"])}
        return
    steps, rounds, requests = [], {}, []
    lines = lines_of(path)
    alone = not any("ioping statistics" in line or "request=" in line for line in lines)

    def place(key):
        if key not in steps:
            steps.append(key)
        step = steps.index(key)
        rounds[step] = rounds.get(step, -1) + 1
        return {"run": 0, "step": step, "round": rounds[step]}

    for line in lines:
        raw = line.split(" ")
        if alone and len(raw) in (8, 10) and all(re.fullmatch(r"\d+", word) for word in raw):
            count, time, iops, speed, least, mean, most = map(int, raw[:7])
            unit = 1000 if len(raw) == 8 else 1
            key = ("raw", round(speed / iops))
            yield {**place("raw"), "kind": "total", "iops": [iops, 1], "bytes_per_s": [speed, iops and speed / iops + 1],
                   "mean_ns": [mean * unit, unit], "min_ns": exact(least * unit), "max_ns": exact(most * unit)}
        request = re.search(r"([\d.]+) (\w+) (from|to|<<<|>>>) .*request=\d+ time=([\d.]+) (\w+)(?: \((.*)\))?$", line)
        if request and request[6] in (None, "fast", "slow"):
            kind = "read" if request[3] in ("from", "<<<") else "write"
            requests.append((kind, float(request[1]) * UNITS[request[2]], figure(request[4], TIMES[request[5]])))
        done = re.match(r"([\d.]+)(?: (\w))? requests completed in .*?([\d.]+)(?: (\w))? iops, ([\d.]+) (\w+)/s", line)
        if done:
            rate, speed = figure(done[3], TENS[done[4] or ""]), figure(done[5], UNITS[done[6]])
            said = re.search(r" (read|written),", line)
        times = re.match(r"min/avg/max/mdev = (.*)", line)
        if times:
            parts = times[1].split(" / ")
            if len(parts) == 1:
                numbers, unit = times[1].split(" ")
                parts = [f"{number} {unit}" for number in numbers.split("/")]
            least, mean, most, _ = [figure(part.split(" ")[0], TIMES[part.split(" ")[1]]) for part in parts]
            kinds = sorted({request[0] for request in requests})
            kind = {"read": "read", "written": "write"}[said[1]] if said else kinds[0] if len(kinds) == 1 else "total"
            block = requests[0][1] if requests else 0
            at = place((kind, block))
            # Whole numbers are cut off.
            rate[1] += 1
            mean = [mean[0], mean[1] * (1 if "." in parts[1] else 2)]
            entry = {**at, "kind": kind, "iops": rate, "bytes_per_s": [speed[0], speed[1] + 1.5 * block]}
            if mean[1] < 0.01 * mean[0]:
                entry["mean_ns"] = mean
            for name, time in [("min_ns", least), ("max_ns", most)]:
                if time[0] > 0:
                    entry[name] = time
            if kinds and not mean[1] >= 0.01 * mean[0]:
                entry["count"] = exact(sum(1 for request in requests if kind in (request[0], "total")))
            yield entry
            for one in kinds if len(kinds) > 1 else []:
                mine = [request for request in requests if request[0] == one]
                ns = [request[2][0] for request in mine]
                yield {**at, "kind": one, "count": exact(len(mine)), "bytes": exact(sum(int(request[1]) for request in mine)),
                       "mean_ns": [sum(ns) / len(ns), max(request[2][1] for request in mine) + 1], "min_ns": [min(ns), 1], "max_ns": [max(ns), 1]}
            requests = []


def ior(path):
    """ior-output.c: the rows below `access bw(MiB/s)`, repetition by repetition; in JSON, the Results of each test."""
    if path.endswith(".json"):
        yield from ior_json(path)
        return
    steps, rounds, columns, options = [], {}, [], []
    for line in lines_of(path):
        words = [word.strip() for word in line.split(",")] if path.endswith(".csv") else line.split()
        if line.startswith("Options:") or line.startswith("Summary:"):
            options = []
        elif re.match(r"\s*(xfersize|blocksize|tasks|clients|segments|ordering in a file|access +[:=])", line):
            options.append(line.strip())
        if words[:2] == ["access", "bw(MiB/s)"]:
            columns = words
        elif words and words[0] in ("write", "read") and len(words) == len(columns):
            row = dict(zip(columns, words))
            key = (words[0], tuple(options))
            if key not in steps:
                steps.append(key)
            step = steps.index(key)
            rounds[step] = rounds.get(step, -1) + 1
            entry = {"run": 0, "step": step, "round": rounds[step], "kind": words[0], "bytes_per_s": figure(row["bw(MiB/s)"], 1048576)}
            if "IOPS" in row:
                entry["iops"] = figure(row["IOPS"])
            yield no_latency(entry)


def ior_json(path):
    rounds = Rounds()
    for document in documents(text_of(path)):
        for test in document["tests"]:
            for result in test["Results"]:
                place = rounds.place((result["access"], test["TestID"], json.dumps(test["Parameters"], sort_keys=True)))
                yield no_latency({**place, "kind": result["access"], "bytes_per_s": exact(result["bwMiB"] * 1048576), "iops": exact(result["iops"])})


def mdtest(path):
    """mdtest.c: the table below SUMMARY rate; the mean of the iterations is the third of its last four numbers."""
    kinds = {"creation": "create", "stat": "stat", "rename": "rename", "removal": "delete", "read": "read-file"}
    step, within = 0, False
    for line in lines_of(path):
        within = within and not line.startswith("-- finished") or line.startswith("SUMMARY rate")
        row = re.match(r"\s+(?:Directory|File|Tree) (\w+)\s*:?\s+([\d. ]+)$", line)
        if within and row:
            mean = row[2].split()[-2]
            if float(mean) > 0:
                yield no_latency({"run": 0, "step": step, "round": 0, "kind": kinds[row[1]], "iops": figure(mean)})
            step += 1


def io500(path):
    """main.c: scores in GiB/s of ior phases and in kIOPS of the others."""
    kinds = {"mdtest": {"write": "create", "stat": "stat", "delete": "delete", "read": "read-file"}}
    found, section = [], None
    for line in lines_of(path):
        printed = re.match(r"\[(?:RESULT|      )\] +(\S+) +([\d.]+) (GiB/s|kIOPS) : time", line)
        head = re.match(r"\[(.*)\]$", line)
        score = re.match(r"score +=\s*([\d.]+)", line)
        if printed and printed[1] != "timestamp":
            found.append((printed[1], printed[2]))
        elif head:
            section = head[1]
        elif score and section:
            found.append((section, score[1]))
    for step, (phase, score) in enumerate(found):
        family, action = phase.split("-")[0], phase.split("-")[-1]
        # find looks at the names and attributes of files.
        kind = action if family == "ior" else kinds["mdtest"].get(action, "stat" if family == "find" else "total")
        entry = {"run": 0, "step": step, "round": 0, "kind": kind}
        if family == "ior":
            entry["bytes_per_s"] = figure(score, 1 << 30)
        else:
            entry["iops"] = figure(score, 1000)
        yield no_latency(entry)


def crystaldiskmark(path):
    """DiskMarkDlg.cpp: MB are 1,000,000 bytes; a row of zeros was not measured; IOPS are computed from the printed rate."""
    kind, step = None, 0
    for line in lines_of(path):
        part = re.match(r"\[(Read|Write|Mix)\]", line)
        if part:
            kind = {"Read": "read", "Write": "write", "Mix": "total"}[part[1]]
        row = re.search(r"^(.*?) ?: +([\d.]+) MB/s(?: \[ *([\d.]+) IOPS\])?(?: < *([\d.]+) us>)?", line)
        if not row or float(row[2]) == 0:
            continue
        of_row = re.search(r"(Read|Write)", row[1])
        entry = {"run": 0, "step": step, "round": 0, "kind": of_row[1].lower() if of_row else kind, "bytes_per_s": figure(row[2], 1e6)}
        if row[3]:
            entry["iops"] = figure(row[3])
        if row[4]:
            entry["mean_ns"] = figure(row[4], 1e3)
        yield no_latency(entry)
        step += 1


def iostat(path):
    """iostat(1): reports after the first, each with a row a device; kB are 1024 bytes. A rate of 0 has no mean time."""
    reports = []
    if path.endswith(".json"):
        for report in json.loads("\n".join(lines_of(path)))["sysstat"]["hosts"][0]["statistics"]:
            rows = {}
            for disk in report["disk"]:
                rows[disk["disk_device"]] = {name: f"{value:.2f}" for name, value in disk.items() if name != "disk_device"}
            reports.append(rows)
    else:
        columns = []
        for line in lines_of(path):
            words = line.split()
            if words and words[0].rstrip(":") == "Device":
                columns = words
                reports.append({})
            elif columns and len(words) == len(columns):
                reports[-1][words[0]] = dict(zip(columns[1:], words[1:]))
            elif not words:
                columns = []
    for number, report in enumerate(reports[1:]):
        if not report:
            # With -z, a report in which no device did anything has no row.
            yield {"run": 0, "report": number, "device": "", "kind": ""}
        for device, row in report.items():
            for kind, rate, sizes, await_ in [("read", "r/s", {"rkB/s": 1024, "rMB/s": 1048576}, "r_await"), ("write", "w/s", {"wkB/s": 1024, "wMB/s": 1048576}, "w_await"),
                                              ("discard", "d/s", {"dkB/s": 1024, "dMB/s": 1048576}, None), ("flush", "f/s", {}, "f_await")]:
                if rate not in row:
                    continue
                entry = {"run": 0, "report": number, "device": device, "kind": kind, "iops": figure(row[rate])}
                for name, unit in sizes.items():
                    if name in row:
                        entry["bytes_per_s"] = figure(row[name], unit)
                if await_ and float(row[rate]) > 0:
                    entry["mean_ns"] = figure(row[await_], 1e6)
                yield entry


def sar(path):
    """sar(1): reports with a row a device, of reads and writes together; kB are 1024 bytes. sadf -d has the same behind host, interval and time."""
    columns, reports = [], {}
    for line in lines_of(path):
        words = line.lstrip("# ").split(";") if ";" in line else line.split()
        if "DEV" in words and "tps" in words:
            columns = words
        elif columns and len(words) == len(columns) and words[0] != "Average:":
            row = dict(zip(columns, words))
            # The first column is the time, whose name is the time of the report before; in sadf's it has a name.
            reports.setdefault(row.get("timestamp", words[0]), []).append(row)
    for number, rows in enumerate(reports.values()):
        for row in rows:
            entry = {"run": 0, "report": number, "device": row["DEV"], "kind": "all", "iops": figure(row["tps"])}
            reads, writes = figure(row["rkB/s"], 1024), figure(row["wkB/s"], 1024)
            entry["bytes_per_s"] = [reads[0] + writes[0], reads[1] + writes[1]]
            if float(row["tps"]) > 0:
                entry["mean_ns"] = figure(row["await"], 1e6)
            yield entry


def text_of(path):
    """In whatever encoding, without a byte order mark, and without indentation or quote marks that every line has."""
    with open(path, "rb") as file:
        data = file.read()
    for mark, name in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig")):
        if data.startswith(mark):
            return data.decode(name).replace("\r\n", "\n")
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    # A log collector puts the time before each line.
    stamp = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z ?", re.M)
    return stamp.sub("", text) if len(stamp.findall(text)) == text.count("\n") else text


FIO_PERCENTILES = {50.0: "p50_ns", 95.0: "p95_ns", 99.0: "p99_ns", 99.9: "p99_9_ns", 99.99: "p99_99_ns"}


def fio(path):
    """stat.c: JSON (show_thread_status_json), normal text (show_thread_status_normal), terse (show_thread_status_terse_v2 and _all), by the file's name."""
    if path.endswith("_hist.1.log"):
        return fio_histograms(path)
    if "terse" in os.path.basename(path):
        return fio_terse(path)
    text = text_of(path)
    invocations = fio_json(text) if path.endswith(".json") else fio_text(text)
    return fio_steps(invocations)


def fio_steps(invocations):
    """Each invocation is a list of jobs (name, group, start, kinds). A step is the jobs that ran together; the same jobs again are its next round."""
    steps, rounds = [], {}
    for jobs in invocations:
        together = {}
        for job in jobs:
            together.setdefault((job["group"], job["start"]), []).append(job)
        for members in together.values():
            key = tuple(sorted((job["name"], job["options"]) for job in members))
            if key not in steps:
                steps.append(key)
            step = steps.index(key)
            number = rounds.get(step, 0)
            rounds[step] = number + 1
            kinds = {}
            for job in members:
                for kind, figures in job["kinds"].items():
                    kinds.setdefault(kind, []).append(figures)
            for kind, all_of_kind in kinds.items():
                entry = {"run": 0, "step": step, "round": number, "kind": kind}
                if len(members) == 1:
                    entry.update(all_of_kind[0])
                else:
                    # Rates of jobs that took different times, and percentiles, have no sum.
                    for name in ("count", "bytes"):
                        if all(name in one for one in all_of_kind):
                            entry[name] = [sum(one[name][0] for one in all_of_kind), sum(one[name][1] for one in all_of_kind)]
                yield entry


def fio_json(text):
    at, decoder = 0, json.JSONDecoder()
    while True:
        found = re.compile(r"^\s*\{", re.M).search(text, at)
        if not found:
            return
        document, at = decoder.raw_decode(text, found.end() - 1)
        jobs = []
        for job in document.get("jobs", document.get("client_stats", [])):
            if job["jobname"] == "All clients":
                continue
            options = {**dict(document.get("global options") or {}), **job.get("job options", {})}
            start = (options.get("wait_for", ""), options.get("startdelay", ""))
            kinds = {}
            for kind in ("read", "write", "trim"):
                of = job.get(kind) or {}
                is_old = "clat" in of and "clat_ns" not in of
                kib = 1024 if is_old and "io_kbytes" not in of else 1
                if not of.get("total_ios"):
                    continue
                entry = {"count": exact(of["total_ios"]), "bytes": exact(of["io_bytes"] * kib) if kib == 1 else [of["io_bytes"] * kib, 1024]}
                if of["runtime"] > 0:
                    entry["iops"] = exact(of["total_ios"] * 1000.0 / of["runtime"])
                kinds[kind] = fio_times(entry, of, is_old)
            sync = job.get("sync") or {}
            times = sync.get("lat_ns") or {}
            count = max(sync.get("total_ios", 0), times.get("N", 0))
            if count:
                kinds["flush"] = fio_times({"count": exact(count)}, {"clat_ns": times}, False)
            named = job["jobname"] + (" @" + job["hostname"] if "hostname" in job else "")
            jobs.append({"name": named, "group": job.get("groupid", 0), "start": start, "options": json.dumps(options, sort_keys=True), "kinds": kinds})
        yield jobs


def fio_times(entry, of, is_old):
    """Times of clat; those of lat where its distribution was asked for (lat_percentiles)."""
    unit = 1000.0 if is_old else 1.0
    clat = of.get("clat" if is_old else "clat_ns") or {}
    lat = of.get("lat" if is_old else "lat_ns") or {}
    times = lat if lat.get("percentile") else clat
    if times.get("mean"):
        for name, key in (("mean_ns", "mean"), ("min_ns", "min"), ("max_ns", "max")):
            entry[name] = [times[key] * unit, 0.5 * unit if is_old and key == "mean" else 0]
        for percent, value in times.get("percentile", {}).items():
            share = float(percent) / 100.0
            if float(percent) not in FIO_PERCENTILES:
                continue
            if "bins" not in times:
                entry[FIO_PERCENTILES[float(percent)]] = exact(value * unit)
            elif times["N"] * (1.0 - share) >= 10:
                # JSON+ has the buckets themselves, of which 64 make a doubling; beyond ten samples above it, a percentile is chance.
                entry[FIO_PERCENTILES[float(percent)]] = [value * unit, value * unit / 64.0]
    return entry


def fio_histograms(path):
    """HOWTO, write_hist_log: time, direction, block size, and the count of each bucket; windows are added up."""
    found = {}
    for line in text_of(path).strip().split("\n"):
        _, direction, block, *counts = (int(field) for field in line.split(","))
        stride = 1856 // len(counts)
        total = found.setdefault(direction, {"bytes": 0, "bins": {}})
        total["bytes"] += sum(counts) * block
        for index, count in enumerate(counts):
            total["bins"][index * stride] = total["bins"].get(index * stride, 0) + count
    for direction, total in sorted(found.items()):
        count = sum(total["bins"].values())
        entry = {"run": 0, "step": 0, "round": 0, "kind": ("read", "write", "trim")[direction]}
        entry.update(count=exact(count), bytes=exact(total["bytes"]))
        seen = 0
        for index in sorted(total["bins"]):
            seen += total["bins"][index]
            if seen * 2 >= count:
                low, high = fio_bucket(index), fio_bucket(index + stride)
                entry["p50_ns"] = [(low + high) / 2.0, (high - low) / 2.0 + high / 64.0]
                break
        yield entry


def fio_bucket(index):
    """The lowest value of a bucket (plat_idx_to_val of stat.c): 64 buckets for each doubling."""
    return index if index < 128 else (64 + index % 64) << (index // 64 - 1)


FIO_PREFIX = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


def fio_amount(text, plain=1000.0):
    """`26.5MiB`, `10.2k`: value and half of its last digit; bits are bytes times 8. Before 2.21 K is 1024."""
    number, prefix, binary, unit = re.match(r"\s*([\d.]+)([kKMGTP]?)(i?)(bit|B)?", text).groups()
    scale = (1024.0 if binary else plain) ** FIO_PREFIX[prefix] / (8.0 if unit == "bit" else 1.0)
    value, half = figure(number, scale)
    # num2str() of fio truncates in places, and before 2.21 prints 1/1024 as 1/1000.
    return [value, 2 * half + 0.0011 * value if plain == 1024.0 else 2 * half]


def fio_text(text):
    jobs, has_totals, heads, invocations = {}, False, {}, []
    job = kind = host = None
    for line in text.split("\n"):
        line = line.lstrip("> \t")
        # With --client: `<host>` before a line, or alone before the jobs of a client.
        client = re.match(r"(?:Jobs: .*)?<(\S+)>\s*(.*)$", line)
        if client:
            host, line = client[1], client[2]
        begins = re.match(r"(.*): \(groupid=(\d+), jobs=(\d+)\): err=\s*\d+.*?: pid=(\d+)", line)
        head = re.match(r"(.*): \(g=\d+\): (.*)", line)
        banner = re.match(r"fio-\S+$", line)
        if (head or banner) and jobs:
            invocations.append(list(jobs.values()))
            jobs, has_totals, heads = {}, False, {}
        if head:
            heads[head[1]] = head[2]
        elif begins:
            key = (begins[1], begins[4], host)
            if has_totals and key not in jobs and not host:
                invocations.append(list(jobs.values()))
                jobs = {}
            has_totals = False
            job = {"name": begins[1], "group": int(begins[2]), "start": "", "options": heads.get(begins[1], "") + begins[3], "kinds": {}}
            if begins[1] != "All clients":
                jobs[key] = job
            kind = None
        elif line.startswith("Run status group"):
            has_totals, job = True, None
        elif job is not None:
            new = re.match(r"(read|write|trim)\s*: IOPS=([^,]*), BW=(\S+).*\(([^/()]+)/(\d+)msec\)", line)
            old = re.match(r"(read|write|trim)\s*: io=([^,]*), bw=([^/]*)/s, iops=\s*([^,]*), runt=\s*(\d+)msec", line)
            if new:
                kind = new[1]
                job["kinds"][kind] = {"bytes": fio_amount(new[4]), "ms": int(new[5])}
            elif old:
                kind = old[1]
                job["kinds"][kind] = {"bytes": fio_amount(old[2], 1024.0), "ms": int(old[5])}
            elif line.startswith("fsync/fdatasync"):
                kind = "flush"
                job["kinds"][kind] = {}
            elif kind:
                fio_text_line(line, job["kinds"], kind)
    if jobs:
        invocations.append(list(jobs.values()))
    for jobs in invocations:
        for job in jobs:
            for figures in job["kinds"].values():
                ms = figures.pop("ms", 0)
                figures.pop("unit", None)
                if ms and "count" in figures:
                    figures["iops"] = exact(figures["count"][0] * 1000.0 / ms)
    return invocations


FIO_UNITS = {"nsec": 1.0, "usec": 1e3, "msec": 1e6}


def fio_text_line(line, kinds, kind):
    figures = kinds[kind]
    times = re.match(r"(clat|lat|sync) \((\w+)\): min=\s*(\S+?), max=\s*(\S+?)\s*, avg=\s*([\d.]+)", line)
    percentiles = re.match(r"(clat|lat|sync) percentiles \((\w+)\)", line)
    if times and times[1] == ("sync" if kind == "flush" else "clat"):
        unit = FIO_UNITS[times[2]]
        figures["mean_ns"] = figure(times[5], unit)
        for name, text in (("min_ns", times[3]), ("max_ns", times[4])):
            value, half = fio_amount(text)
            figures[name] = [value * unit, max(half, 0.5) * unit]
    elif percentiles:
        figures["unit"] = FIO_UNITS[percentiles[2]]
    elif line.startswith("|") and "unit" in figures:
        for percent, value in re.findall(r"([\d.]+)th=\[\s*(\d+)\]", line):
            if float(percent) in FIO_PERCENTILES:
                figures[FIO_PERCENTILES[float(percent)]] = figure(value, figures["unit"])
    elif re.match(r"issued", line):
        total = re.search(r"total=(\S+)", line)[1].rstrip(",")
        counts = [int(part.rpartition("=")[2]) for part in re.split("[,/]", total)]
        for name, count in zip(("read", "write", "trim", "flush"), counts):
            if name in kinds and count:
                kinds[name]["count"] = exact(count)


def fio_terse(path):
    """Version 3 (fio's HOWTO): a line a job, KiB and microseconds. Lines of one group may be jobs or runs: none are added up."""
    for step, line in enumerate(line for line in text_of(path).split("\n") if line.startswith("3;fio-")):
        fields = line.split(";")
        for kind, at in (("read", 5), ("write", 46)):
            kib, _, iops, ms = (int(field) for field in fields[at : at + 4])
            if not kib:
                continue
            entry = {"run": 0, "step": step, "round": 0, "kind": kind, "bytes": [kib * 1024, 1024], "iops": [iops, 1]}
            entry["mean_ns"] = figure(fields[at + 10], 1e3)
            yield entry


def unpasted(path):
    """Text as the program wrote it: without what editors, mail, collectors and PowerShell added to every line."""
    text = text_of(path)
    for before in ("    ", "> "):
        lines = text.rstrip("\n").split("\n")
        if all(line.startswith(before) or line.strip() == before.strip() for line in lines):
            text = "\n".join(line[len(before):] for line in lines) + "\n"
    return text


class Rounds:
    """Numbers of steps and rounds: what has the same key is the next round of one step."""

    def __init__(self):
        self.steps, self.rounds = [], {}

    def place(self, key, run=0):
        if (run, key) not in self.rounds:
            self.steps.append((run, key))
            self.rounds[(run, key)] = -1
        self.rounds[(run, key)] += 1
        step = [key for of, key in self.steps if of == run].index(key)
        return {"run": run, "step": step, "round": self.rounds[(run, key)]}


def documents(text):
    """JSON values one after another."""
    decoder, at = json.JSONDecoder(), 0
    while True:
        begin = re.compile(r"\S").search(text, at)
        if not begin:
            return
        value, at = decoder.raw_decode(text, begin.start())
        yield value


def iperf3(path):
    """iperf3(1) and units.c: K, M and G of bytes are powers of 1024, of bits powers of 1000. Of both ends, the figures are those of the end that wrote the file."""
    text = unpasted(path)
    return iperf3_json(text) if path.endswith(".json") else iperf3_text(text)


def iperf3_json(text):
    tests = []
    for value in documents(text):
        # --json-stream: an object for each event.
        if value.get("event") == "start":
            tests.append({"start": value["data"], "intervals": []})
        elif value.get("event") == "interval":
            tests[-1]["intervals"].append(value["data"])
        elif value.get("event") == "end":
            tests[-1]["end"] = value["data"]
        elif "intervals" in value:
            tests.append(value)
    rounds = Rounds()
    for test in tests:
        asked, end = test["start"]["test_start"], test["end"]
        client = "connecting_to" in test["start"]
        sends = bool(asked["reverse"]) != client
        directions = [("sum", "sum_sent" if sends else "sum_received", "send" if sends else "receive")]
        if "sum_bidir_reverse" in test["intervals"][0]:
            directions.append(("sum_bidir_reverse", "sum_received_bidir_reverse", "receive"))
        place = rounds.place(json.dumps([asked, test["start"].get("connecting_to")], sort_keys=True))
        for name, of_end, kind in directions:
            intervals = [one[name] for one in test["intervals"] if not one[name].get("omitted")]
            moved, seconds = sum(one["bytes"] for one in intervals), sum(one["seconds"] for one in intervals)
            total = end.get(of_end)
            if total and total["bytes"]:
                # The summary also has what came after the last interval.
                moved, rate = total["bytes"], total["bits_per_second"] / 8
            else:
                rate = moved / seconds
            entry = {**place, "kind": kind, "bytes": exact(moved), "bytes_per_s": [rate, rate * 2e-6]}
            if asked["protocol"] == "UDP":
                packets = sum(one["packets"] - (one.get("lost_packets", 0) if kind == "receive" else 0) for one in intervals)
                entry["count"] = exact(packets)
            yield no_latency(entry)


IPERF3_ROW = re.compile(r"\[ *(\d+|SUM)\](?:\[([TR]X-[CS])\])? +([\d.]+)-([\d.]+) +sec +([\d.]+) (\w+) +([\d.]+) ([KMGT]?)(bits|Bytes)/sec(.*)")


def iperf3_text(text):
    rounds = Rounds()
    for part in re.split(r"(?m)^(?=Connecting to host|Accepted connection from)", text):
        head = re.match(r"Connecting to host (.*)|Accepted connection", part)
        if not head or "Interval" not in part:
            continue
        between, summary = re.split(r"- - -.*\n(?:Test Complete.*\n)?(?=\[ ID\])", part)[:2]
        client = bool(head[1])
        is_udp = "Datagrams" in summary
        sends = "Reverse mode" not in part if client else "Retr" in between or "Total Datagrams" in between.replace("Lost/Total Datagrams", "")
        rows = [row.groups() for row in map(IPERF3_ROW.match, summary.split("\n")) if row]
        rows = [row for row in rows if row[0] == "SUM"] or rows
        roles = [None] if all(row[1] is None for row in rows) else sorted({row[1] for row in rows}, reverse=True)
        block = re.search(r", (\d+) byte blocks", part)
        streams = len(re.findall(r"(?m)^\[ *\d+\] local ", part)) // (2 if len(roles) == 2 else 1)
        place = rounds.place((head[1], is_udp, sends, len(roles), streams, block and block[1]))
        for role in roles:
            sending = role.startswith("TX") if role else sends
            mine = [row for row in rows if row[1] == role]
            marked = [row for row in mine if re.search(r"(sender|receiver)\s*$", row[9])]
            own = [row for row in marked if row[9].rstrip().endswith("sender" if sending else "receiver")] or ([] if marked else mine)
            value, prefix, unit, rest = own[0][6:]
            unit = (1000 ** " KMGT".index(prefix or " ")) / 8 if unit == "bits" else 1024 ** " KMGT".index(prefix or " ")
            entry = {**place, "kind": "send" if sending else "receive"}
            # Until 3.1, the only row of UDP has the rate of the sender.
            entry["bytes_per_s"] = figure(value, unit) if marked or sending else None
            packets = re.search(r"(\d+)/(\d+) \(", rest)
            if packets:
                count, seconds = int(packets[2]) - (0 if sending else int(packets[1])), float(own[0][3]) - float(own[0][2])
                entry["iops"] = [count / seconds, count / seconds * 1e-9]
            yield no_latency(entry)


def netpipe(path):
    """netpipe.c of 3.7.2 and 5: np.out has bytes, rate and seconds (3) or bytes, mean, lowest and highest rate and microseconds (5). A time is half of a round trip,
    with -2 (--bidir) that of one message each way at once, of which the rate counts both."""
    text = re.sub(r"\x1b\[[\d;]*m", "", unpasted(path))
    rounds = Rounds()
    new = re.compile(r"\s*\d+: +([\d.]+) +(B|KB|MB) +(\d+) times --> +([\d.]+) +(\w?)bps +in +([\d.]+) (\w?)secs")
    for line in text.split("\n"):
        words = line.split()
        both = 1
        if "times -->" in line and "usec" in line and "Mbps" in line and words[2:3] == ["bytes"]:
            size, rate, seconds = int(words[1]), float(words[6]), figure(words[9], 1e-6)
            both = 2 if rate > 1.5 * size * 8 / 1048576 / seconds[0] else 1
        elif new.match(line):
            found = new.match(line)
            size = round(float(found[1]) * {"B": 1, "KB": 1000, "MB": 1000000}[found[2]])
            seconds = figure(found[6], {"n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1}[found[7]])
            rate = float(found[4]) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[found[5]]
            both = 2 if rate > 1.5 * size * 8 / seconds[0] else 1
        elif len(words) == 3 and re.fullmatch(r"\d+ [\d.]+ [\d.]+", " ".join(words)):
            size, rate, seconds = int(words[0]), float(words[1]), figure(words[2])
            both = 2 if rate > 1.5 * size * 8 / 1048576 / seconds[0] else 1
        elif len(words) == 5 and all(re.fullmatch(r"[\d.]+", word) for word in words):
            size, seconds = int(words[0]), figure(words[4], 1e-6)
        else:
            continue
        trip = [2 / both * part for part in seconds]
        spread = seconds[1] / seconds[0] * 1.01
        entry = {**rounds.place((both, size)), "kind": "ping-pong", "mean_ns": [trip[0] * 1e9, trip[1] * 1e9], "iops": [1 / trip[0], spread / trip[0]]}
        entry["bytes_per_s"] = [both * size / seconds[0], both * size / seconds[0] * spread]
        yield no_latency(entry)


IOZONE = ["write", "rewrite", "read", "reread", "random read", "random write", "backward read", "record rewrite", "stride read", "fwrite", "re-fwrite", "fread", "re-fread",
          "pwrite", "re-pwrite", "pread", "re-pread"]
IOZONE_ENDS = [33, 42, 51, 60, 69, 78, 87, 97, 107, 116, 125, 134, 143, 151, 160, 168, 177]
IOZONE_REPORTS = ["writer", "re-writer", "reader", "re-reader"] + IOZONE[4:9] + ["fwrite", "re-fwrite", "fread", "re-fread"]
IOZONE_PROCESSES = {"initial writers": 0, "rewriters": 1, "readers": 2, "re-readers": 3, "random readers": 4, "random writers": 5, "reverse readers": 6,
                    "record rewriters": 7, "stride readers": 8, "fwriters": 9, "frewriters": 10, "freaders": 11, "frereaders": 12, "pwrite writers": 13,
                    "pread readers": 15, "mixed workload": "mixed"}


def iozone_entry(place, test, value, unit):
    kind = "total" if test == "mixed" else "write" if "write" in IOZONE[test] else "read"
    names = {"kBytes": ("bytes_per_s", 1024), "ops": ("iops", 1), "operations": ("iops", 1), "microseconds": ("mean_ns", 1000)}
    name, scale = names[unit]
    stated = figure(value, scale)
    entry = {**place, "kind": kind, "iops": None, "bytes_per_s": None, name: stated}
    return no_latency(entry)


def iozone(path):
    """IOzone's documentation: kB are 1024 bytes; a test that is left out has a blank column, one that was not done for a size a zero. -b: BIFF2, reports as with -R."""
    if path.endswith(".xls"):
        return iozone_sheet(path)
    return iozone_text(unpasted(path))


def iozone_text(text):
    rounds, commands = Rounds(), []
    parts = re.split(r"(?m)^(?=\tIozone: Performance Test)", text)
    for part in [part for part in parts if re.search(r"(?m)^\t?(Command line used:|Excel output)|Excel output", part)]:
        command = re.search(r"Command line used: (.*)", part)
        command = command and command[1].strip()
        if command not in commands:
            commands.append(command)
        run = commands.index(command)
        unit = re.search(r"Output is in (\w+)", part)
        unit = unit[1] if unit else "kBytes"
        size, record = re.search(r"File size set to (\d+)", part), re.search(r"Record Size (\d+)", part)
        rows = re.findall(r"(?m)^ +(\d+) +(\d+) (  *\d.*)$", part)
        for line in part.split("\n"):
            row = re.match(r"( +\d+ +\d+)(?= +\d)", line)
            if not row or '"' in line:
                continue
            file_kib, record_kib = row[0].split()
            cells = []
            for word in re.finditer(r"\d+", line[row.end():]):
                end, value = row.end() + word.end(), word[0]
                if len(value) > 9:
                    # pread and repwrite of eight digits leave no blank between them.
                    cells.append((end - 8, value[:-8]))
                    value = value[-8:]
                cells.append((end, value))
            for end, value in cells:
                test = min(range(len(IOZONE_ENDS)), key=lambda index: abs(IOZONE_ENDS[index] - end))
                if int(value):
                    yield iozone_entry(rounds.place((test, file_kib, record_kib, 1), run), test, value, unit)
        for workers, who, value in re.findall(r"Parent sees throughput for +(\d+) ([a-z -]+?)\s*= *([\d.]+)", part):
            test = IOZONE_PROCESSES[who]
            yield iozone_entry(rounds.place((test, size[1], record[1], workers), run), test, value, unit)
        if not rows and "Children" not in part:
            report = None
            for line in part.split("\n"):
                title = re.match(r'"(.*) report"', line)
                fields = line.split()
                if title:
                    report, records = IOZONE_REPORTS.index(title[1].lower()), None
                elif report is not None and fields and records is None:
                    records = [field.strip('"') for field in fields]
                elif report is not None and fields:
                    for record_kib, value in zip(records, fields[1:]):
                        if int(value):
                            yield iozone_entry(rounds.place((report, fields[0].strip('"'), record_kib, 1), run), report, value, unit)


def iozone_sheet(path):
    """OpenOffice's documentation of BIFF2: each record has code, length and body; 3 is a number, 4 a label, 10 the end."""
    with open(path, "rb") as file:
        data = file.read()
    at, cells = 0, {}
    while at < len(data):
        code, length = struct.unpack_from("<HH", data, at)
        body = data[at + 4 : at + 4 + length]
        if code == 3:
            row, column = struct.unpack_from("<HH", body)
            cells[(row, column)] = struct.unpack_from("<d", body, 7)[0]
        elif code == 4:
            row, column = struct.unpack_from("<HH", body)
            cells[(row, column)] = body[8 : 8 + body[7]].decode("latin-1").split("\0")[0]
        at += 4 + length
    command = cells[(0, 0)]
    unit = "ops" if re.search(r" -O\b", command) else "kBytes"
    rounds, report = Rounds(), None
    for row in range(1, max(row for row, _ in cells) + 1):
        first = cells.get((row, 0))
        if isinstance(first, str):
            name = first.strip().lower()
            report = IOZONE_REPORTS.index(name[: -len(" report")]) if name.endswith(" report") else None
            records = None
        elif report is not None and first is None:
            found = {column: value for (of, column), value in cells.items() if of == row}
            records = found or records
        elif report is not None:
            for column, record_kib in sorted(records.items()):
                value = cells.get((row, column))
                if value:
                    yield iozone_entry(rounds.place((report, first, record_kib, 1)), report, str(int(value)), unit)


ELBENCHO_KINDS = {"MKDIRS": "create", "RMDIRS": "delete", "WRITE": "write", "READ": "read", "STAT": "stat", "RMFILES": "delete"}
ELBENCHO_TIMES = {"us": 1e3, "ms": 1e6, "s": 1e9}


def cut(text, scale=1.0):
    """A whole number, of which the fraction was cut off."""
    return [int(text) * scale, scale]


def elbencho(path):
    """elbencho's csv-docs.md and result-columns-explanation.md: figures [last] are those at the end of the slowest thread; rates are cut to whole numbers."""
    text = unpasted(path)
    if path.endswith(".csv"):
        return elbencho_csv(text)
    return elbencho_json(text) if path.endswith(".json") else elbencho_text(text)


def elbencho_figures(place, phase, figures, reads):
    """`figures` and `reads`: iops, entries, MiB, IO latency, latency of entries; None where not stated."""
    is_mixed = phase.startswith(("RWMIX", "MIX"))
    for kind, of in ([("write", figures), ("read", reads)] if is_mixed else [(ELBENCHO_KINDS[phase], figures)]):
        entry = {**place, "kind": kind, "iops": of["iops"] or of["entries"], "bytes_per_s": of["bytes"]}
        times = of["io"] if of["iops"] else of["of entries"]
        entry.update(dict(zip(("min_ns", "mean_ns", "max_ns"), times)) if times else {})
        entry.update(of.get("percentiles", {}))
        if entry["iops"] is None and entry["bytes_per_s"] is None:
            continue
        yield no_latency(entry)


def elbencho_csv(text):
    rounds, runs = Rounds(), []
    header = None
    for fields in csv.reader(text.split("\n")):
        if fields[:1] == ["ISO date"]:
            header = fields
            continue
        if not fields:
            continue
        row = dict(zip(header, fields))
        command = ",".join(fields[header.index("command"):])
        key = [row[name] for name in header[1:header.index("operation")]] + [row["version"], command]
        if key not in runs:
            runs.append(key)

        def of(before):
            number = lambda name, scale=1.0: cut(row[before + name], scale) if row[before + name] else None
            times = lambda name: [number(f"{name} lat us [{which}]", 1e3) for which in ("min", "avg", "max")] if row[f"{before}{name} lat us [avg]"] else None
            return {"iops": number("IOPS [last]"), "entries": number("entries/s [last]"), "bytes": number("MiB/s [last]", 1048576), "io": times("IO"), "of entries": times("Ent")}

        yield from elbencho_figures(rounds.place(row["operation"], runs.index(key)), row["operation"], of(""), of("rwmix read "))


def elbencho_json(text):
    rounds, runs = Rounds(), []
    for phase in documents(text):
        if phase["config"] not in runs:
            runs.append(phase["config"])
        last, latency = phase["last_done"], phase["last_done"].get("latency", {})

        def of(result, io, entries):
            number = lambda name: cut(result[name]) if name in result else None
            times = lambda found: [cut(found[name], 1e3) for name in ("min_us", "avg_us", "max_us")] if found else None
            return {"iops": number("iops"), "entries": number("entries/s"), "bytes": number("bytes/s"), "io": times(io), "of entries": times(entries)}

        io, entries = latency.get("IO", {}), latency.get("entries", {})
        yield from elbencho_figures(rounds.place(phase["phase_type"], runs.index(phase["config"])), phase["phase_type"], of(last, io, entries),
                                    of(last.get("rwmix_read", {}), io.get("rwmix_read", {}), entries.get("rwmix_read", {})))


def elbencho_text(text):
    rounds = Rounds()
    for block in re.split(r"(?m)^---\n?", text):
        rows = dict(re.findall(r"(?m)^(?:\w[\w-]* +|  +)(\w[^:]*?) +: +(.*)$", block))
        phase = re.search(r"(?m)^([A-Z][A-Z0-9-]+) +Elapsed time", block)
        if not phase:
            continue

        def of(iops, throughput, io, percentiles):
            last = lambda name, scale=1.0: cut(rows[name].split()[-1], scale) if name in rows else None
            entries = last("Files/s") or last("Dirs/s")
            times = lambda name: [figure(value, ELBENCHO_TIMES[unit]) for value, unit in re.findall(r"(?:min|avg|max)=([\d.]+)(us|ms|s)", rows[name])] if name in rows else None
            # Cut off to microseconds.
            wider = lambda all_: all_ and [[value, 2 * half] for value, half in all_]
            found = {"iops": last(iops), "entries": entries, "bytes": last(throughput, 1048576), "io": wider(times(io)),
                     "of entries": wider(times("Files latency") or times("Dirs latency"))}
            shares = rows.get(percentiles if found["iops"] else "Files lat % us", rows.get("Dirs lat % us" if not found["iops"] else percentiles, ""))
            names = {"50": "p50_ns", "95": "p95_ns", "99": "p99_ns", "99.9": "p99_9_ns"}
            found["percentiles"] = {names[share]: figure(value, 1e3) for share, value in re.findall(r"([\d.]+)%<=([\d.]+)", shares) if share in names}
            return found

        is_mixed = phase[1].startswith(("RWMIX", "MIX"))
        place = rounds.place(phase[1])
        writes = of("IOPS write", "MiB/s write", "IO wr latency", "IO wr lat % us") if is_mixed else of("IOPS", "Throughput MiB/s", "IO latency", "IO lat % us")
        yield from elbencho_figures(place, phase[1], writes, of("IOPS read", "MiB/s read", "IO rd latency", "IO rd lat % us"))


def smbclient(path):
    """client.c of Samba: size over milliseconds, in KiB; a transfer of no millisecond has 1000000000.0, one that moved nothing 0.0."""
    rounds = Rounds()
    for line in unpasted(path).split("\n"):
        got = re.match(r"getting file (.*) of size (\d+) as (.*) \(([\d.]+) KiloBytes/sec\)", line)
        put = re.match(r"putting file (.*) as (.*) \(([\d.]+) kb/s\)", line)
        if not got and not put:
            continue
        rate = (got and got[4]) or put[3]
        if float(rate) == 0 or float(rate) >= 1e9:
            continue
        key = ("get", got[1], got[2]) if got else ("put", put[2])
        yield no_latency({**rounds.place(key), "kind": "read" if got else "write", "bytes_per_s": figure(rate, 1024)})


WARP_KINDS = {"GET": "read-file", "PUT": "create", "STAT": "stat", "DELETE": "delete", "LIST": "list"}


def nanoseconds(text):
    """A time in UTC, to the nanosecond."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) * 10**9 + int(fraction.ljust(9, "0"))


def warp(path):
    """csv.go and live.go of warp: requests of a benchmark, or totals by operation. Durations are in milliseconds with nanoseconds behind the point."""
    text = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True, text=True).stdout if path.endswith(".zst") else text_of(path)
    yield from warp_requests(text) if text.startswith("idx") else warp_totals(json.loads(text))


def warp_requests(text):
    rows = list(csv.DictReader((line for line in text.split("\n") if line and not line.startswith("#")), delimiter="\t"))
    parts, busy_until = [], None
    for row in rows:
        begin, end = nanoseconds(row["start"]), nanoseconds(row["end"])
        if busy_until is None or begin > busy_until + 10**9:
            parts.append([])
        parts[-1].append((row, begin, end))
        busy_until = max(busy_until or 0, end)
    for step, part in enumerate(parts):
        seconds = (max(end for _, _, end in part) - min(begin for _, begin, _ in part)) / 1e9
        for operation in sorted({row["op"] for row, _, _ in part}):
            good = [(row, end - begin) for row, begin, end in part if row["op"] == operation and not row["error"]]
            times = [took for _, took in good]
            yield {"run": 0, "step": step, "round": 0, "kind": WARP_KINDS[operation], "count": exact(len(good)), "iops": exact(len(good) / seconds),
                   "bytes": exact(sum(int(row["bytes"]) for row, _ in good)), "mean_ns": exact(sum(times) / len(times)), "min_ns": exact(min(times)), "max_ns": exact(max(times))}


def warp_totals(root):
    totals = root["by_op_type"]
    seconds = (max(nanoseconds(of["end_time"]) for of in totals.values()) - min(nanoseconds(of["start_time"]) for of in totals.values())) / 1e9
    for operation, of in totals.items():
        entry = {"run": 0, "step": 0, "round": 0, "kind": WARP_KINDS[operation], "count": exact(of["total_requests"]), "bytes": exact(of["total_bytes"]),
                 "iops": exact(of["total_requests"] / seconds)}
        (segments,) = of["requests_by_client"].values()
        (segment,) = segments
        if "single_sized_requests" in segment:
            times = segment["single_sized_requests"]
            names = {"mean_ns": "dur_avg_millis", "min_ns": "fastest_millis", "max_ns": "slowest_millis", "p50_ns": "dur_median_millis", "p99_ns": "dur_99_millis"}
            entry.update({name: exact(times[of_warp] * 1e6) for name, of_warp in names.items()})
        else:
            sizes = segment["multi_sized_requests"]["by_size"]
            total = sum(size["requests"] for size in sizes)
            entry["mean_ns"] = exact(sum(size["requests"] * size["avg_duration_millis"] for size in sizes) / total * 1e6)
        yield no_latency(entry)


READERS = {function.__name__: function for function in [bonnie, crystaldiskmark, dd, diskspd, elbencho, fio, io500, ioping, ior, iostat, iozone, iperf3, mdtest, netpipe, sar, smbclient, sysbench, warp]}


def stated(path):
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    name = folder + "/" + os.path.basename(path)
    for entry in READERS[folder](path):
        yield {"file": name, **entry}


def main(arguments):
    if arguments != ["--write"]:
        for path in arguments:
            for entry in stated(path):
                print(json.dumps(entry))
        return
    entries = []
    for folder in sorted(READERS):
        for name in sorted(os.listdir(os.path.join(HERE, folder))):
            found = list(stated(os.path.join(HERE, folder, name)))
            if not found:
                sys.exit(f"{folder}/{name}: nothing is read")
            entries += found
    with open(os.path.join(HERE, "expected.json"), "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]\n")


if __name__ == "__main__":
    main(sys.argv[1:])
