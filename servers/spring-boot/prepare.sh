# Lays out a service's program with Spring Boot in SCRATCH/program: prepare.sh SCRATCH SERVICE.
set -eu
scratch=$1 service=$2
sh ../common/agent-settings.sh "$service" "$scratch"
exec "$JAVA_HOME/bin/java" -Djarmode=tools -jar "$service/spring-boot/target/$(basename "$service")-${STEELYARD_CONTAINER:-tomcat}.jar" \
  extract --destination "$scratch/program" --application-filename program.jar
