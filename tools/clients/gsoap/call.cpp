// Asks an operation by the proxy that soapcpp2 made: call ADDRESS REQUEST. The request's values go through the generated classes, and
// so does the answer, which is printed. Proxy, operation and classes are named when it is compiled (call.sh).

#include <fstream>
#include <iostream>

int main(int, char **words) {
  std::ifstream file(words[2]);
  PROXY proxy(words[1], SOAP_C_UTFSTRING);
  soap *reader = soap_copy(proxy.soap);
  reader->is = &file;
  REQUEST request;
  if (READ(reader, &request) != SOAP_OK) {
    soap_stream_fault(reader, std::cerr);
    return 1;
  }
  ANSWER answer;
  if (proxy.OPERATION(&request, answer) != SOAP_OK) {
    proxy.soap_stream_fault(std::cerr);
    return 1;
  }
  proxy.soap->os = &std::cout;
  return WRITE(proxy.soap, &answer);
}
