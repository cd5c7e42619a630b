#!/bin/sh
# Every address of the project that its packages name.  Change an address here, and run
#
#   sh packaging/addresses.sh
#
# which writes the addresses into META.json, debian/ and packaging/.

homepage='https://simhash.invalid/'
repository='https://simhash.invalid/simhash.git'
issues='https://simhash.invalid/issues/'
mail='developers@simhash.invalid'

cd "$(dirname "$0")/.." || exit 1
edit()
{
	file=$1
	shift
	sed -E "$@" "$file" >"$file.new" && cat "$file.new" >"$file"
	rm "$file.new"
}
edit META.json -e "s|(\"homepage\": )\".*\"|\1\"$homepage\"|" -e "s|(\"web\": )\".*\"|\1\"$issues\"|" \
	-e "/\"repository\"/,/}/s|(\"url\": )\".*\"|\1\"$repository\"|" -e "s|(\"mailto\": )\".*\"|\1\"$mail\"|" -e "s|<.*@.*>|<$mail>|"
for file in debian/control debian/control.in debian/copyright debian/changelog packaging/rpm/*.spec packaging/nix/*.nix; do
	# of a changelog only the newest entry
	edit "$file" -e "s,^(Homepage:|Source:|URL:|  *homepage =)( *\"?)https?:[^\"]*,\1\2$homepage," \
		-e "1,/<.*@.*>/s|<.*@.*>|<$mail>|"
done
