# Builds the service's WAR and the jar of the filter that deadlocks: build.sh SERVICE CACHE.
set -eu
sh ../../../../servers/common/build-war.sh "$1" java
classes="$2/crossing/classes"
mkdir -p "$classes/META-INF/services"
"$JAVA_HOME/bin/javac" -cp "$2/tomcat/lib/servlet-api.jar" -d "$classes" Crossing.java
echo Crossing >"$classes/META-INF/services/jakarta.servlet.ServletContainerInitializer"
"$JAVA_HOME/bin/jar" --create --file "$2/crossing/crossing.jar" -C "$classes" .
