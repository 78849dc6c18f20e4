#pragma once

#include "soapH.h"

// The purchase order number n, 0 to 999999999, by the rule in contract/wstest.xsd (type PurchaseOrder).
w__PurchaseOrder *purchase_order(struct soap *soap, int n);
