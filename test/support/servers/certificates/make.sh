#!/bin/sh
# Makes the certificates of this folder anew, valid until 2125 but for the expired one. The keys of
# the authorities are thrown away.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf 'subjectAltName=DNS:localhost\n' >"$work/server"
printf 'basicConstraints=critical,CA:true\n' >"$work/authority"

request() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$2" \
    -out "$work/request" 2>"$work/log" || { cat "$work/log"; exit 1; }
}

# sign <file> <extensions> <from> <to> <authority's key> <its certificate, or -selfsign>
sign() {
  : >"$work/index"
  openssl rand -hex 8 >"$work/serial"
  cat >"$work/config" <<END
[ca]
default_ca = own
[own]
database = $work/index
new_certs_dir = $work
serial = $work/serial
default_md = sha256
policy = any
[any]
commonName = supplied
END
  openssl ca -batch -notext -config "$work/config" -extfile "$work/$2" -keyfile "$5" \
    $6 -startdate "$3" -enddate "$4" -in "$work/request" -out "$1" 2>"$work/log" ||
    { cat "$work/log"; exit 1; }
}

for name in authority another-authority; do
  request "$name of the tests" "$work/$name.key"
  sign "$name.crt" authority 20200101000000Z 21251231000000Z "$work/$name.key" -selfsign
done
request 'database of the tests' server.key
by="-cert authority.crt"
sign server.crt server 20200101000000Z 21251231000000Z "$work/authority.key" "$by"
sign expired.crt server 20200101000000Z 20210101000000Z "$work/authority.key" "$by"
