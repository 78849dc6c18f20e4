# Builds the service's program: build.sh SERVICE CACHE.
set -eu
cargo build --quiet --release --locked --manifest-path "$1/rust-axum/Cargo.toml" --target-dir "$2/target"
cp "$2/target/release/wstest" "$2/wstest"
