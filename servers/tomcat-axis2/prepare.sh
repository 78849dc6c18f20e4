# Lays out a CATALINA_BASE whose applications all have Axis2's servlet: prepare.sh SCRATCH CACHE SERVICE IMPLEMENTATION.
set -eu
sh ../common/tomcat/prepare.sh "$1" "$2" "$3" "$4" "$2/axis2"
# Axis2 tells the transports of its servlet apart by scheme, and refuses what came by one that it has none for.
if [ "${STEELYARD_TLS:-off}" = on ]; then scheme=https; else scheme=http; fi
sed "s/<\(transport[A-Za-z]*\) name=\"http\"/<\1 name=\"$scheme\"/" axis2.xml >"$1/conf/axis2.xml"
# Tomcat's conf/web.xml is the base of every application's own; Tomcat itself reads ${catalina.base} in it.
sed -e '/<\/web-app>/d' "$2/tomcat/conf/web.xml" >"$1/conf/web.xml"
cat >>"$1/conf/web.xml" <<'XML'
  <servlet>
    <servlet-name>axis2</servlet-name>
    <servlet-class>org.apache.axis2.transport.http.AxisServlet</servlet-class>
    <init-param>
      <param-name>axis2.xml.path</param-name>
      <param-value>${catalina.base}/conf/axis2.xml</param-value>
    </init-param>
    <load-on-startup>1</load-on-startup>
  </servlet>
  <servlet-mapping>
    <servlet-name>axis2</servlet-name>
    <url-pattern>/services/*</url-pattern>
  </servlet-mapping>
</web-app>
XML
