# Makes a WAR and its WSDL of a schema that its user has, such as a release of OAGIS or STAR: make.sh SCHEMA ELEMENT OUT.
# SCHEMA is the file that declares the global element ELEMENT; OUT gets own-schema.war, own-schema.wsdl, and compiler.txt: what JAXB's
# compiler said, and what it needed. What the schema includes and imports must lie in files below its folder, or in folders beside it.
set -eu
schema=$(realpath "$1") element=$2
mkdir -p "$3"
out=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$(dirname "$0")/pom.xml" "$(dirname "$0")/src" "$work"
maven="mvn --batch-mode --strict-checksums -Dstyle.color=never --file $work/pom.xml"

# Compiles the schema with an argument for the compiler; what it says is kept in compiler.txt.
compile() {
  rm -rf "$work/target"
  $maven generate-sources "-Dschema.folder=$(dirname "$schema")" "-Dschema.file=$(basename "$schema")" "-Dnaming=$1" >"$work/said" 2>&1
}

# What the compiler complained of, without what Maven says of itself.
complaints() {
  awk '/^\[ERROR\] Failed to execute goal/ { exit } /^\[INFO\]/ { shown = 0 } /^\[(ERROR|WARNING)\]/ { shown = 1 } shown && !/^[ \t]+at / && !/^[ \t]*$/' \
    "$work/said" | head -200
}

needed="nothing beyond the schema"
if ! compile -no-header; then
  complaints >"$work/first"
  needed="-XautoNameResolution: without it, it said:"
  if ! compile -XautoNameResolution; then
    { echo "JAXB's compiler could not compile $(basename "$schema"):"; complaints; } | tee "$out/compiler.txt" >&2
    exit 1
  fi
fi
sources=$work/target/generated-sources/xjc
packages=$(cd "$sources" && find . -name ObjectFactory.java -printf '%h\n' | sed -e 's|^\./||' -e 's|/|.|g' | sort | paste -sd: -)
{
  echo "schema: $(basename "$schema"), element $element"
  echo "classes: $(find "$sources" -name '*.java' ! -name ObjectFactory.java ! -name package-info.java | wc -l)"
  echo "packages: $packages"
  echo "needed: $needed"
  if [ -f "$work/first" ]; then cat "$work/first"; fi
  complaints
} >"$out/compiler.txt"
# Metro looks for the description in the application, CXF in a servlet on its class path.
inside=WEB-INF/wsdl/bind.wsdl
mkdir -p "$work/src/main/resources/WEB-INF/wsdl" "$work/src/main/webapp/WEB-INF/wsdl"
python3 "$(dirname "$0")/describe.py" "$schema" "$element" "$out/own-schema.wsdl" "$work/src/main/webapp/$inside"
cp "$work/src/main/webapp/$inside" "$work/src/main/resources/$inside"
echo "$packages" >"$work/src/main/resources/packages"
$maven --quiet package "-Dschema.folder=$(dirname "$schema")" "-Dschema.file=$(basename "$schema")" \
  "-Dnaming=$(case $needed in -X*) echo -XautoNameResolution ;; *) echo -no-header ;; esac)" >&2
cp "$work/target/own-schema.war" "$out/"
cat "$out/compiler.txt"
