"""Whether a WSDL keeps the assertions of WS-I's Basic Profiles 1.1 and 2.0 on descriptions, one by one."""
