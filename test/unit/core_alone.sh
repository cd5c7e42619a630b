#!/bin/sh
# src/core compiles by itself: no file of it needs PostgreSQL's headers or includes a
# file from outside of src/core.  $CC is the compiler.

core=$(cd "$(dirname "$0")/../../src/core" && pwd)
failed=0
n=0

for file in $(find "$core" -name '*.[ch]' | sort); do
	n=$((n + 1))
	outside=
	if files=$(${CC:-cc} -std=c11 -MM -x c "$file" 2>&1) &&
		message=$(${CC:-cc} -std=c11 -fsyntax-only -x c "$file" 2>&1); then
		for used in $(echo "$files" | tr -d '\\' | cut -d: -f2-); do
			case $(realpath "$used") in
				"$core"/*) ;;
				*) outside="$outside $used" ;;
			esac
		done
	else
		outside=" $files $message"
	fi
	if [ -z "$outside" ]; then
		echo "ok $n - ${file#"$core"/} needs nothing from outside of core"
	else
		failed=$((failed + 1))
		echo "not ok $n - ${file#"$core"/} needs nothing from outside of core:$outside"
	fi
done
echo "$((n - failed)) passed, $failed failed"
[ $failed -eq 0 ]
