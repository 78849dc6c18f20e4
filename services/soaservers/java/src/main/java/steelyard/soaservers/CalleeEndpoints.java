package steelyard.soaservers;

import jakarta.jws.WebService;

/**
 * The endpoints that services call, each with its own address, WSDL and data binding. Servers look
 * for annotated classes, so there is one class for each service that a graph may have; Callee1
 * serves the first one of the graph's file.
 */
public final class CalleeEndpoints {

  private static final String NAMESPACE = "urn:steelyard:soaservers";
  private static final String INTERFACE = "steelyard.soaservers.contract.CalleePortType";

  private CalleeEndpoints() {}

  /** The address /Left. */
  @WebService(serviceName = "Left", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Left extends CalleeEndpoint {
    public Left() {
      super("Left");
    }
  }

  /** The address /Right. */
  @WebService(serviceName = "Right", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Right extends CalleeEndpoint {
    public Right() {
      super("Right");
    }
  }

  /** The address /Callee1. */
  @WebService(serviceName = "Callee1", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee1 extends CalleeEndpoint {
    public Callee1() {
      super("Callee1");
    }
  }

  /** The address /Callee2. */
  @WebService(serviceName = "Callee2", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee2 extends CalleeEndpoint {
    public Callee2() {
      super("Callee2");
    }
  }

  /** The address /Callee3. */
  @WebService(serviceName = "Callee3", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee3 extends CalleeEndpoint {
    public Callee3() {
      super("Callee3");
    }
  }

  /** The address /Callee4. */
  @WebService(serviceName = "Callee4", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee4 extends CalleeEndpoint {
    public Callee4() {
      super("Callee4");
    }
  }

  /** The address /Callee5. */
  @WebService(serviceName = "Callee5", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee5 extends CalleeEndpoint {
    public Callee5() {
      super("Callee5");
    }
  }

  /** The address /Callee6. */
  @WebService(serviceName = "Callee6", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee6 extends CalleeEndpoint {
    public Callee6() {
      super("Callee6");
    }
  }

  /** The address /Callee7. */
  @WebService(serviceName = "Callee7", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee7 extends CalleeEndpoint {
    public Callee7() {
      super("Callee7");
    }
  }

  /** The address /Callee8. */
  @WebService(serviceName = "Callee8", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee8 extends CalleeEndpoint {
    public Callee8() {
      super("Callee8");
    }
  }

  /** The address /Callee9. */
  @WebService(serviceName = "Callee9", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee9 extends CalleeEndpoint {
    public Callee9() {
      super("Callee9");
    }
  }

  /** The address /Callee10. */
  @WebService(serviceName = "Callee10", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee10 extends CalleeEndpoint {
    public Callee10() {
      super("Callee10");
    }
  }

  /** The address /Callee11. */
  @WebService(serviceName = "Callee11", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee11 extends CalleeEndpoint {
    public Callee11() {
      super("Callee11");
    }
  }

  /** The address /Callee12. */
  @WebService(serviceName = "Callee12", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee12 extends CalleeEndpoint {
    public Callee12() {
      super("Callee12");
    }
  }

  /** The address /Callee13. */
  @WebService(serviceName = "Callee13", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee13 extends CalleeEndpoint {
    public Callee13() {
      super("Callee13");
    }
  }

  /** The address /Callee14. */
  @WebService(serviceName = "Callee14", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee14 extends CalleeEndpoint {
    public Callee14() {
      super("Callee14");
    }
  }

  /** The address /Callee15. */
  @WebService(serviceName = "Callee15", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee15 extends CalleeEndpoint {
    public Callee15() {
      super("Callee15");
    }
  }

  /** The address /Callee16. */
  @WebService(serviceName = "Callee16", targetNamespace = NAMESPACE, endpointInterface = INTERFACE)
  public static class Callee16 extends CalleeEndpoint {
    public Callee16() {
      super("Callee16");
    }
  }
}
