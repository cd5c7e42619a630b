#!/bin/sh
# A folder of src/index/bitblock or src/core/text includes no file of the folders above it.  The
# calls of layer at the end list what each folder may include.

cd "$(dirname "$0")/../../src" || exit 1
failed=0
n=0

# layer PARENT FOLDER BELOW...: the files of PARENT/FOLDER may include files of the folders BELOW,
# where "." stands for the files of PARENT itself
layer()
{
	parent=$1
	folder=$2
	shift 2
	allowed=" $folder $* "
	wrong=
	files=$(find "$parent/$folder" -name '*.[ch]' | sort)
	[ -n "$files" ] || wrong=" no file in $parent/$folder"
	for file in $files; do
		# Paths begin at src/ or at the folder of the file.
		for used in $(sed -nE 's/^#[[:space:]]*include[[:space:]]+"([^"]+)".*/\1/p' "$file"); do
			[ -f "$parent/$folder/$used" ] && used=$(realpath --relative-to=. "$parent/$folder/$used")
			other=${used#"$parent"/}
			case $other in
				"$used") continue ;;
				*/*) other=${other%%/*} ;;
				*) other=. ;;
			esac
			case $allowed in
				*" $other "*) ;;
				*) wrong="$wrong $file includes $used" ;;
			esac
		done
	done
	n=$((n + 1))
	if [ -z "$wrong" ]; then
		echo "ok $n - $parent/$folder includes files of: $folder $*"
	else
		failed=$((failed + 1))
		echo "not ok $n - $parent/$folder includes files of: $folder $*:$wrong"
	fi
}

layer index/bitblock store
layer index/bitblock search store
layer index/bitblock build . store

layer core/text unicode .
layer core/text kernels .
layer core/text tokens . unicode kernels
layer core/text features . tokens kernels
layer core/text methods . features kernels

echo "$((n - failed)) passed, $failed failed"
[ $failed -eq 0 ]
