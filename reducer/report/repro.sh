#!/bin/sh
# Does this failure still occur?
#
# @shown@
#
# Exit status: 0 if it fails as reported, 1 if it no longer does, 2 if it fails differently or
# cannot be run. With --bisect: 1 if it fails as reported, 0 if not, 125 otherwise.

program='' runner='' lowerer=''
file='' statuses='' messages='' silent='' seconds='' kilobytes='' healthy=0 healthy_messages=''
libraries='' depth='' unnamed='' same_place='' same_build='' same_digits=''
outermost='' others='' renamed=''
wrong='' tolerances='' scales='' finite_only='' fills=none
caller='' entry='' pipeline=''
compile() { :; }

# ---- This failure ------------------------------------------------------------------------------
# @data@
# ---- What follows is the same for all failures -------------------------------------------------

set -u
LC_ALL=C
export LC_ALL

say() { printf '%s\n' "$1"; }

end() { # STATUS WORDS
    say "$2"
    exit "$1"
}

case ${1:-} in
"") ;;
--bisect)
    sh "$0"
    case $? in 0) exit 1 ;; 1) exit 0 ;; *) exit 125 ;; esac ;;
*) end 2 "usage: $0 [--bisect]" ;;
esac

# shellcheck disable=SC2329 # the data calls it
use() { # NAME VARIABLE PROGRAM: sets NAME to what VARIABLE holds, or else to PROGRAM
    used=''
    [ -z "$2" ] || eval "used=\${$2:-}"
    case $used in
    "")
        used=$3 # another program's tools are beside it
        [ -z "$beside" ] || [ ! -x "$beside/$3" ] || used=$beside/$3 ;;
    /*) beside=${used%/*} ;;
    */*) used=$start/$used beside=${start}/${used%/*} ;;
    esac
    eval "$1=\$used"
    [ -z "$used" ] || command -v "$used" >/dev/null 2>&1 ||
        end 2 "cannot run $used${2:+; set $2=/path/to/it}"
}

all() { # PATTERNS FILE...: whether each line of PATTERNS is found
    patterns=$1
    shift
    [ -z "$patterns" ] || printf '%s\n' "$patterns" | while IFS= read -r pattern; do
        grep -q -E -e "$pattern" "$@" || exit 1
    done
}

show() { # prints another program's output, shortened and without control characters
    tr -c '\n -~' '?' | cut -c 1-200
}

differently() { # WHAT: ends the script because that failed in another way
    say "fails differently: $1"
    errors='error: |LLVM ERROR|Assertion|Unknown command line|^signature '
    grep -a -q -E -e "$errors" stderr stdout 2>/dev/null || errors=''
    grep -a -h -m 5 -E -e "$errors" stderr stdout | show
    exit 2
}

run() { # FUNCTION: sets `status`, and `exceeded` if it had to be killed
    exceeded='' waited=0
    "$1" >stdout 2>stderr &
    child=$!
    while [ -n "$seconds$kilobytes" ] && [ -z "$exceeded" ]; do
        sleep 1
        kill -0 "$child" 2>/dev/null || break
        waited=$((waited + 1))
        [ -z "$seconds" ] || [ "$waited" -lt "$seconds" ] || exceeded=yes
        [ -n "$kilobytes" ] || continue
        resident=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$child/status" 2>/dev/null ||
            ps -o rss= -p "$child")
        [ "${resident:-0}" -lt "$kilobytes" ] || exceeded=yes
    done
    [ -z "$exceeded" ] || kill -9 "$child" 2>/dev/null
    wait "$child" 2>/dev/null
    status=$?
    child=''
}

fails() { # whether status and output, or the limit that was hit, are as reported
    [ -z "$seconds" ] || { [ -n "$exceeded" ]; return; }
    [ -z "$kilobytes" ] || {
        [ -n "$exceeded" ] || [ "$status" -gt 128 ] || grep -q -i -e memory -e bad_alloc stderr
        return
    }
    case " $statuses " in
    *" $status "* | " any ") ;;
    " failure ") [ "$status" -ne 0 ] || return 1 ;;
    *) return 1 ;;
    esac
    all "$messages" stderr stdout && { [ -z "$silent" ] || ! grep -q -e 'error: ' stderr; }
}

# Within one build, addresses decide; across builds, function names. Without names, it counts as
# another place.
crashed_there() { # whether the stack shows a crash in the reported place
    [ -n "$libraries$outermost" ] || return 0
    if [ -n "$libraries" ]; then
        in_same_build
        case $? in 0) return 0 ;; 1) return 1 ;; esac
    fi
    [ -n "$outermost" ] || return 1
    # Functions in stacks of any tool get between a space and a parenthesis.
    sed -e '/OpToOpPassAdaptor/q' -e 's/[`]/ /g' -e 's/^/ /' \
        -e 's/ at [^ ]*\( (unknown line)\)\{0,1\}$/(/' -e 's/::h[0-9a-f]\{16\}$/(/' \
        -e 's/$/(/' -e 's/ (/(/' stderr >stack
    if grep -q -E -e "$outermost" stack; then
        [ -z "$others" ] || grep -q -E -e "$others" stack
    else # renamed: all else must be there
        [ -n "$renamed" ] && grep -q -E -e "$renamed" stack && all "$others" stack
    fi
}

# Libraries are loaded at multiples of the page size, so the last digits of addresses are the same in
# all runs of a build. The first addresses, those of the signal handler, identify the build.
in_same_build() { # 0 for a crash in the same place, 1 for another place, 2 for another build
    path=$(readlink -f -- "$(command -v -- "$program")")
    bare='s/^[0-9][0-9]* *\([^ ]*\)  *0x[0-9a-f]*\([0-9a-f]\{3\}\)\( .*\)\{0,1\}$/\1:\2/p'
    named='s/^ *#[0-9]* 0x[0-9a-f]*\([0-9a-f]\{3\}\) .*(\([^()]*\/\)\{0,1\}\([^()/]*\)+0x[0-9a-f]*)$/\3:\1/p'
    sed -n -e "$bare" ${unnamed:+-e "$named"} stderr |
        sed -e "s|^${path##*/}:|program:|" -e "s|^${program##*/}:|program:|" |
        grep -E -e "$libraries" | head -n "$depth" | tr '\n' ' ' >places
    ! grep -q -E -e "$same_place" places || return 0
    ! grep -q -E -e "$same_build" places || return 1
    sed -n 's/^ *#[0-9]* 0x[0-9a-f]*\([0-9a-f]\{3\}\) .*$/\1/p' stderr | tr '\n' ' ' >digits
    [ -n "$same_digits" ] && grep -q -E -e "$same_digits" digits || return 2
}

judge() { # ends the script unless nothing fails
    if [ -n "$wrong" ] && [ "$status" -eq 0 ]; then
        difference=$(python3 files/compare.py files/run.expected.txt stdout \
            "$tolerances" "$scales" "$finite_only")
        case $? in
        0) return ;;
        "$wrong") end 0 "still fails as reported: $difference" ;;
        esac
        end 2 "fails differently, or cannot be compared: $difference"
    fi
    if [ -z "$wrong" ] && fails; then
        ! crashed_there || end 0 "still fails as reported"
        end 2 "fails differently: not in the reported place, as far as its stack shows"
    fi
    if [ "$status" -ne "$healthy" ] || ! all "$healthy_messages" stdout; then
        differently "exit status $status"
    fi
}

printed() { # MODULE: prints the program's output, without addresses
    { sed '/^$/d' "$1" | sed '$d'; printf '%s\n}\n' "$caller"; } >whole.mlir &&
        "$lowerer" "--pass-pipeline=$pipeline" whole.mlir -o low.mlir &&
        "$runner" low.mlir -e "$entry" --entry-point-result=void -O0 --shared-libs="$shared" >raw &&
        sed 's/base@ = 0x[0-9a-f]*//' raw
}

compare_passes() { # ends the script; the program runs as it is and after the passes
    # What prints is in libraries beside the runner.
    lib=$(dirname -- "$(dirname -- "$(readlink -f "$(command -v "$runner")")")")/lib
    shared=''
    for name in mlir_c_runner_utils mlir_runner_utils mlir_float16_utils; do
        for path in "$lib/lib$name".so*; do
            [ ! -e "$path" ] || { shared=$shared${shared:+,}$path; break; }
        done
    done
    : >stdout
    if ! { "$program" "$file" -o before.mlir && printed before.mlir >before.txt; } 2>stderr; then
        differently "the program cannot be run"
    fi
    (call) >after.mlir 2>stderr || differently "the passes fail"
    printed after.mlir >after.txt 2>stderr ||
        differently "the program cannot be run after the passes"
    ! cmp -s before.txt after.txt ||
        end 1 "the program prints the same with and without these passes"
    say "still wrong. Without the passes:"
    cat before.txt
    say "With them:"
    cat after.txt
    exit 0
}

child='' beside='' start=$PWD
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/repro.XXXXXXXX") || exit 2
trap '[ -z "$child" ] || kill -9 "$child" 2>/dev/null; rm -rf -- "$work"' EXIT
trap 'exit 2' HUP INT TERM
cp -- "$here/$file" "$work/" || exit 2
[ ! -d "$here/files" ] || cp -R -- "$here/files" "$work/" || exit 2
cd -- "$work" || exit 2
# shellcheck disable=SC3045 # where there is none, nothing happens
ulimit -c 0 2>/dev/null

programs
[ -z "$caller" ] || compare_passes
(compile) >stdout 2>stderr || differently "the compiler ends with exit status $?"
for fill in $fills; do
    # A second run fills fresh memory, which may otherwise happen to be zero (glibc).
    [ "$fill" = none ] || export MALLOC_PERTURB_="$fill"
    run call
    judge
done
say "no longer fails"
[ -z "$healthy_messages" ] || sed -n '/^[0-9]* remark/,$p' stdout
exit 1
