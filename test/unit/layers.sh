#!/bin/sh
# A folder of src, src/core, src/core/text or src/index/bitblock includes no file of the folders above it,
# and the command no header of the library's sources.  The calls of layer at the end list what each folder
# may include.

cd "$(dirname "$0")/../../src" || exit 1
failed=0
n=0

# layer PARENT FOLDER BELOW...: the files of PARENT/FOLDER may include files of the folders BELOW,
# where "." stands for the files of PARENT itself.  PARENT "." is the current folder, at which paths begin
layer()
{
	parent=$1
	folder=$2
	shift 2
	allowed=" $folder $* "
	wrong=
	files=$(find "$parent/$folder" \( -name '*.[ch]' -o -name '*.cc' \) | sort)
	[ -n "$files" ] || wrong=" no file in $parent/$folder"
	for file in $files; do
		# Paths begin at the current folder or at the folder of the file.
		for used in $(sed -nE 's/^#[[:space:]]*include[[:space:]]+"([^"]+)".*/\1/p' "$file"); do
			[ -f "$parent/$folder/$used" ] && used=$(realpath --relative-to=. "$parent/$folder/$used")
			if [ "$parent" = . ]; then
				[ -f "$used" ] || continue
				other=$used
			else
				other=${used#"$parent"/}
				[ "$other" != "$used" ] || continue
			fi
			case $other in
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

layer . duplicates core fingerprint planner server type .

layer duplicates parallel
layer duplicates rows parallel
layer duplicates trigger rows parallel

layer core text .
layer core store text .
layer core join store text .
layer core groups join store text .
layer core changes text .
layer core duplicates groups join store changes text .

layer index/bitblock store
layer index/bitblock search store
layer index/bitblock bulk . store

layer core/text unicode .
layer core/text kernels .
layer core/text tokens . unicode kernels
layer core/text features . tokens kernels
layer core/text methods . features kernels

cd ../client || exit 1
layer . lib .
layer . command .
layer command review .
layer command input .

echo "$((n - failed)) passed, $failed failed"
[ $failed -eq 0 ]
