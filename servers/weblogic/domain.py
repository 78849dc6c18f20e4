"""Makes a WebLogic domain of one server: wlst.sh domain.py PROPERTIES. Runs in WLST (Jython), offline.

One listener on the loopback address, no access log, connections open for as long as the product allows.
"""
# ruff: noqa: F821 (WLST's own functions)

import sys

loadProperties(sys.argv[1])

selectTemplate("Basic WebLogic Server Domain")
loadTemplates()
setOption("ServerStartMode", "prod")
setOption("OverwriteDomain", "true")

cd("/Servers/AdminServer")
set("ListenAddress", address)
set("ListenPort", int(port))
set("SelfTuningThreadPoolSizeMax", int(threads))
create("AdminServer", "WebServer")
cd("WebServer/AdminServer")
set("KeepAliveSecs", 300)
create("AdminServer", "WebServerLog")
cd("WebServerLog/AdminServer")
set("LoggingEnabled", "false")

cd("/Security/base_domain/User/weblogic")
cmo.setPassword(password)

writeDomain(domain)
closeTemplate()

readDomain(domain)
create(application, "AppDeployment")
cd("/AppDeployment/" + application)
set("SourcePath", war)
set("ModuleType", "war")
set("StagingMode", "nostage")
cd("/")
assign("AppDeployment", application, "Target", "AdminServer")
updateDomain()
closeDomain()
exit()
