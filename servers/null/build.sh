# Builds the service's floor: build.sh SERVICE CACHE.
set -eu
cargo build --quiet --release --locked --manifest-path "$1/null/Cargo.toml" --target-dir "$2/target"
cp "$2/target/release/wstest-null" "$2/wstest-null"
