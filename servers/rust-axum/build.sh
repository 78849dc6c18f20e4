# Builds a service's program: build.sh SERVICE CACHE.
set -eu
name=$(basename "$1")
cargo build --quiet --release --locked --manifest-path "$1/rust-axum/Cargo.toml" --target-dir "$2/target"
cp "$2/target/release/$name" "$2/$name"
