// TV Dinner: counts and adds up a purchase order.

#include "documents.h"
#include "numbers.h"

namespace {

// The last of the parties that xsi:type calls the buyer.
const c__BuyerParty &buyer(const std::vector<c__PartyBase *> &parties) {
    for (auto party = parties.rbegin(); party != parties.rend(); ++party) {
        if (const auto *found = dynamic_cast<const c__BuyerParty *>(*party)) {
            return *found;
        }
    }
    throw BadDocument("the order has no buyer");
}

int telephones(const c__Contact *contact) {
    int count = 0;
    for (int i = 0; contact && i < contact->__size_Contact; i++) {
        count += contact->__union_Contact[i].__union_Contact == SOAP_UNION__c__union_Contact_Telephone;
    }
    return count;
}

// Quantity times price, plus freights, less discounts, in millionths of millionths.
Number cost(const o__Subline &subline) {
    Number cost = product(decimal(in(subline.Quantity).__item), decimal(in(in(subline.Price).Amount).__item));
    for (int i = 0; i < subline.__size_Subline; i++) {
        const __o__union_Subline &charge = subline.__union_Subline[i];
        if (charge.__union_Subline == SOAP_UNION__o__union_Subline_Freight) {
            cost = sum(cost, scaled(decimal(in(in(charge.union_Subline.Freight).Amount).__item)));
        } else if (charge.__union_Subline == SOAP_UNION__o__union_Subline_Discount) {
            cost = difference(cost, scaled(decimal(in(in(charge.union_Subline.Discount).Amount).__item)));
        }
    }
    return cost;
}

// The answer's line, and its amount added to the total.
o__AcknowledgedLine *acknowledged(struct soap *soap, const o__Line &line, Number &total) {
    int kits = 0;
    Number quantity = 0, amount = 0;
    for (const o__Subline *subline : line.Subline) {
        kits += dynamic_cast<const o__KitItem *>(in(subline).Item) != nullptr;
        quantity = sum(quantity, decimal(in(subline->Quantity).__item));
        amount = sum(amount, cost(*subline));
    }
    total = sum(total, amount);
    return soap_new_req_o__AcknowledgedLine(soap, integer(line.LineNumber), std::to_string(line.Subline.size()),
                                            std::to_string(kits), written(quantity, 1), written(amount, 2));
}

}  // namespace

o__AcknowledgePurchaseOrderDocument *acknowledge(struct soap *soap, const o__ProcessPurchaseOrderDocument &process) {
    const o__PurchaseOrder &order = in(in(process.DataArea).PurchaseOrder);
    const o__Header &header = in(order.Header);
    const c__BuyerParty &bought_by = buyer(header.Party);
    std::vector<o__AcknowledgedLine *> lines;
    Number total = 0;
    for (const o__Line *line : order.Line) {
        lines.push_back(acknowledged(soap, in(line), total));
    }
    auto *answer = soap_new_req_o__AcknowledgedOrder(
        soap, soap_new_req_c__Identifier(soap, in(header.OrderId).__item), bought_by.Name, trimmed(header.Priority),
        std::to_string(telephones(bought_by.Contact)), written(total, 2));
    answer->Line = lines;
    const c__ResponseCode response = lines.empty() ? c__ResponseCode::Empty : c__ResponseCode::Accepted;
    return soap_new_req_o__AcknowledgePurchaseOrderDocument(
        soap, soap_new_req_c__Identifier(soap, in(in(process.ApplicationArea).DocumentId).__item),
        soap_new_req_o__AcknowledgePurchaseOrderData(soap, soap_new_req_o__AcknowledgeVerb(soap, response), answer));
}
