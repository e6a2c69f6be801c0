# What .ci/with-servers and .ci/with-citus have in common; both source it. Everything is installed outside
# the checkout, in a Debian of its own that is kept between runs.
postgres_bin=/usr/lib/postgresql/18/bin
postgres_root=/var/tmp/semblance-postgres-18
work=$(mktemp -d)
# Data directories of the servers that were started, below $postgres_root.
clusters=()

in_root() { chroot "$postgres_root" su postgres -c "PATH=$postgres_bin:\$PATH; $1"; }

clean_up() {
  local cluster
  for cluster in "${clusters[@]}"; do
    in_root "pg_ctl -D $cluster -m immediate -s stop" || true
    rm -rf "${postgres_root:?}$cluster"
  done
  rm -rf "$work"
}
trap clean_up EXIT

# A command whose output matters only when it fails.
quietly() {
  "$@" >"$work/log" 2>&1 && return
  tail -n 20 "$work/log"
  return 1
}

# Debian's address as this machine has it: the first enabled entry of apt's sources.
debian_mirror() {
  local file found
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/{debian.sources,*.sources,*.list}; do
    [ -f "$file" ] || continue
    found=$(awk -v RS='' '
      /(^|\n)Enabled: *no/ { next }
      { count = split($0, lines, "\n")
        for (i = 1; i <= count; i++) {
          sub(/^deb +\[[^]]*\]/, "deb", lines[i])
          if (split(lines[i], word, " ") > 1 && word[1] ~ /^(deb|URIs:)$/ && word[2] ~ /^https?:/) {
            print word[2]
            exit
          }
        } }' "$file")
    if [ -n "$found" ]; then
      echo "$found"
      return
    fi
  done
  echo 'apt has no source to take PostgreSQL from' >&2
  return 1
}

install_debootstrap() {
  command -v debootstrap >/dev/null && return
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -qy debootstrap
}

install_servers() {
  install_debootstrap
  local fresh mirror
  mirror=$(debian_mirror)
  fresh=$(mktemp -d "$postgres_root.XXXXXX")
  chmod 755 "$fresh"
  if ! quietly debootstrap --variant=minbase \
    --include=postgresql-18,postgresql-18-pgvector,pgbouncer forky \
    "$fresh" "$mirror" /usr/share/debootstrap/scripts/sid; then
    rm -rf "$fresh"
    return 1
  fi
  # Complete from the first moment on, and whoever comes second keeps the other's.
  mv -T "$fresh" "$postgres_root" || rm -rf "$fresh"
}

# Into a root that was made without it. Its service is not to start by itself.
install_pgbouncer() {
  printf '#!/bin/sh\nexit 101\n' >"$postgres_root/usr/sbin/policy-rc.d"
  chmod +x "$postgres_root/usr/sbin/policy-rc.d"
  local install='apt-get install -qy --no-install-recommends pgbouncer'
  quietly chroot "$postgres_root" env DEBIAN_FRONTEND=noninteractive \
    sh -c "$install || { apt-get update -q && $install; }"
}

# Starts a throw-away server with further options, and leaves its port in $port.
start_postgres() {
  local cluster
  cluster=/tmp/$(basename "$work")-${#clusters[@]}
  port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
  clusters+=("$cluster")
  in_root "initdb -D $cluster -A trust -U postgres --locale=C.UTF-8 --no-sync" >/dev/null
  in_root "pg_ctl -D $cluster -l $cluster/log -s -w start \
    -o '-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=/tmp -c fsync=off $*'" ||
    { cat "$postgres_root$cluster/log"; return 1; }
}

# pg_dump and pg_restore as commands of this machine: they read stdin and write stdout.
provide_postgres_tools() {
  export TEST_POSTGRES_BIN=$work/postgres
  mkdir "$TEST_POSTGRES_BIN"
  local tool
  for tool in pg_dump pg_restore; do
    printf '#!/bin/sh\nexec chroot %s %s/%s "$@"\n' "$postgres_root" "$postgres_bin" "$tool" \
      >"$TEST_POSTGRES_BIN/$tool"
    chmod +x "$TEST_POSTGRES_BIN/$tool"
  done
}

[ -x "$postgres_root$postgres_bin/initdb" ] || install_servers
[ -x "$postgres_root/usr/sbin/pgbouncer" ] || install_pgbouncer
