#!/bin/bash
#
# get: the first step of the action.  Gets the programs, puts their directory in PATH for the next steps
# of the job, and gives it to the second step.
#
# FROM, RELEASE, REPOSITORY, REF and SERVER come from action.yml; what a workflow wrote is never a part
# of a script, only the value of a variable.  Works with the bash 3.2 and the tools of macOS.

set -euo pipefail
export LC_ALL=C
source=$(cd "$(dirname "$0")/../../.." && pwd)

die() {
	printf '::error title=claude-task-hooks::%s\n' "$(printf %s "$*" | tr -c '[:print:]' '?')"
	exit 1
}

platform() {
	case ${RUNNER_OS-}-${RUNNER_ARCH-} in
	Linux-X64) echo linux-x64 ;;
	Linux-ARM64) echo linux-arm64 ;;
	macOS-X64) echo darwin-x64 ;;
	macOS-ARM64) echo darwin-arm64 ;;
	*) return 1 ;;
	esac
}

# download URL FILE: status 22 if the server does not have it
download() {
	local protocols='=https'
	case $SERVER in
	http://*) protocols='=http,https' ;;
	esac
	curl --fail --silent --show-error --location --proto "$protocols" --retry 3 --connect-timeout 30 --max-time 300 \
	    --max-filesize 100000000 --output "$2" -- "$1"
}

sum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum <"$1"
	else
		shasum -a 256 <"$1"
	fi | cut -d' ' -f1
}

is_tag() {
	[[ $1 =~ ^[A-Za-z0-9._/-]+$ && $1 != *..* ]]
}

# check_commit: who names a commit does not want the programs of another one, which the release of VERSION may
# have.  They say it themselves: this finds a mistake, not an attack.
check_commit() {
	local ref commit
	ref=$(printf %s "$REF" | tr A-F a-f)
	[[ $ref =~ ^[0-9a-f]{40}$ ]] || return 0
	commit=$("$bin/claude-tasks" version --json | sed -n 's/.*"commit": *"\([^"]*\)".*/\1/p') || commit=''
	[ "$commit" = "$ref" ] ||
	    die "the action is used at commit $ref, but the programs of $url are of commit '$commit': use from: source"
}

# Sets url, that of the release.
from_release() {
	local version file platform tag tags want
	command -v curl >/dev/null 2>&1 || die "curl is missing; install it, or use from: source"
	version=$(cat "$source/VERSION")
	platform=$(platform) || die "there are no programs for ${RUNNER_OS-} ${RUNNER_ARCH-}: use from: source"
	[[ $REPOSITORY =~ ^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$ ]] ||
	    die "the action is used by a path, which has no release: use from: source"
	tags=("v$version")
	if [ -n "$RELEASE" ]; then
		is_tag "$RELEASE" || die "'$RELEASE' cannot be the tag of a release"
		tags=("$RELEASE")
	elif is_tag "$REF"; then
		tags=("$REF" "v$version")
	fi
	url=''
	for tag in "${tags[@]}"; do
		url=$SERVER/$REPOSITORY/releases/download/$tag
		download "$url/SHA256SUMS" "$work/SHA256SUMS" && break
		url=
	done
	[ -n "$url" ] || die "no release has a file SHA256SUMS (looked for: ${tags[*]}): set release:, or use from: source"
	# A tag such as v1 does not tell the version.
	[[ ! $tag =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] || version=${tag#v}
	file=claude-task-hooks-$version-$platform.tar.gz
	want=$(awk -v file="$file" '$2 == file || $2 == "*" file { print $1 }' "$work/SHA256SUMS")
	[[ $want =~ ^[0-9a-f]{64}$ ]] || die "SHA256SUMS of $url does not have one line for $file"
	download "$url/$file" "$work/$file" || die "cannot download $url/$file"
	[ "$(sum "$work/$file")" = "$want" ] || die "$url/$file does not have the checksum of SHA256SUMS: it was not unpacked"
	mkdir "$work/programs"
	tar -xzf "$work/$file" -C "$work/programs"
	rm "$work/$file"
}

from_source() {
	if command -v apt-get >/dev/null 2>&1; then
		"$source/scripts/setup"
	fi
	make -s -C "$source" all
}

work=$(mktemp -d "$RUNNER_TEMP/claude-task-hooks-XXXXXX")
case $FROM in
release)
	from_release
	program=$(find "$work/programs" -type f -name on-task-completed-verify -perm -100) ;;
source)
	from_source
	program=$source/build/on-task-completed-verify ;;
*)
	die "from must be release or source, not '$FROM'" ;;
esac
[ -x "$program" ] || die "there must be one on-task-completed-verify, but there is '$program'"
bin=$(dirname "$program")
[ "$FROM" = source ] || check_commit
"$program" --version
printf '%s\n' "$bin" >>"$GITHUB_PATH"
printf 'bin=%s\n' "$bin" >>"$GITHUB_OUTPUT"
