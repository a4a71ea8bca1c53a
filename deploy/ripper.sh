#!/bin/sh
# The command `ripper` in the image. Each file in /run/secrets that is called as a setting, such as RIPPER_MASTER_KEY, becomes that
# setting: so secrets stand in no compose file, and `podman inspect` does not show them.
set -eu
for file in /run/secrets/RIPPER_* /run/secrets/OTEL_*; do
  if [ -f "$file" ]; then
    export "$(basename "$file")=$(cat "$file")"
  fi
done
exec node /service/bin/ripper.mjs "$@"
