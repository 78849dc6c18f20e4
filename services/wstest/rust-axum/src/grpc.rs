//! The operations by gRPC, with tonic: unary calls over HTTP/2, at the port that answers HTTP/1.1 too. Messages of wstest.proto.

use std::future::ready;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, post};
use prost::Message;
use steelyard_soap::{Counted, LARGEST_REQUEST, Requests};
use tonic::Status;
use tonic::server::Grpc;
use tonic_prost::ProstCodec;
use tower::service_fn;

use crate::order;

const GRPC: &str = "application/grpc";

/// What is echoed has one type for both ways.
#[derive(Clone, PartialEq, Message)]
struct Void {}

#[derive(Clone, PartialEq, Message)]
struct Structs {
    #[prost(message, repeated, tag = "1")]
    structs: Vec<Structure>,
}

#[derive(Clone, PartialEq, Message)]
struct Structure {
    #[prost(sint32, tag = "1")]
    var_int: i32,
    #[prost(float, tag = "2")]
    var_float: f32,
    #[prost(string, tag = "3")]
    var_string: String,
}

#[derive(Clone, PartialEq, Message)]
struct List {
    #[prost(message, optional, tag = "1")]
    list: Option<Item>,
}

#[derive(Clone, PartialEq, Message)]
struct Item {
    #[prost(message, optional, tag = "1")]
    value: Option<Structure>,
    #[prost(message, optional, boxed, tag = "2")]
    next: Option<Box<Item>>,
}

#[derive(Clone, PartialEq, Message)]
struct Synthetic {
    #[prost(string, tag = "1")]
    text: String,
    #[prost(message, optional, tag = "2")]
    r#struct: Option<Structure>,
    #[prost(bytes = "vec", tag = "3")]
    bytes: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct OrderRequest {
    #[prost(int32, tag = "1")]
    order_id: i32,
}

#[derive(Clone, PartialEq, Message)]
struct PurchaseOrder {
    #[prost(int32, tag = "1")]
    order_id: i32,
    #[prost(string, tag = "2")]
    reference: String,
    #[prost(string, tag = "3")]
    order_date: String,
    #[prost(message, optional, tag = "4")]
    customer: Option<Customer>,
    #[prost(message, optional, tag = "5")]
    billing_address: Option<Address>,
    #[prost(message, optional, tag = "6")]
    shipping_address: Option<Address>,
    #[prost(message, repeated, tag = "7")]
    items: Vec<LineItem>,
    #[prost(int32, tag = "8")]
    total: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Customer {
    #[prost(int32, tag = "1")]
    customer_id: i32,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(string, tag = "3")]
    email: String,
}

#[derive(Clone, PartialEq, Message)]
struct Address {
    #[prost(string, tag = "1")]
    street: String,
    #[prost(string, tag = "2")]
    city: String,
    #[prost(string, tag = "3")]
    state: String,
    #[prost(string, tag = "4")]
    postal_code: String,
    #[prost(string, tag = "5")]
    country: String,
}

#[derive(Clone, PartialEq, Message)]
struct LineItem {
    #[prost(int32, tag = "1")]
    line_number: i32,
    #[prost(string, tag = "2")]
    sku: String,
    #[prost(string, tag = "3")]
    description: String,
    #[prost(int32, tag = "4")]
    quantity: i32,
    #[prost(int32, tag = "5")]
    unit_price: i32,
}

impl From<order::Order> for PurchaseOrder {
    fn from(order: order::Order) -> Self {
        let items = order.items.into_iter().map(|item| LineItem {
            line_number: item.line_number,
            sku: item.sku,
            description: item.description,
            quantity: item.quantity,
            unit_price: item.unit_price.0,
        });
        Self {
            order_id: order.order_id,
            reference: order.reference,
            order_date: order.order_date,
            customer: Some(Customer {
                customer_id: order.customer.customer_id,
                name: order.customer.name,
                email: order.customer.email,
            }),
            billing_address: Some(order.billing_address.into()),
            shipping_address: Some(order.shipping_address.into()),
            items: items.collect(),
            total: order.total.0,
        }
    }
}

impl From<order::Address> for Address {
    fn from(address: order::Address) -> Self {
        Self {
            street: address.street,
            city: address.city,
            state: address.state,
            postal_code: address.postal_code,
            country: address.country.to_owned(),
        }
    }
}

/// The paths of the contract's methods.
pub fn routes() -> Router<Requests> {
    Router::new()
        .route("/steelyard.wstest.WSTest/EchoVoid", served(echo::<Void>))
        .route("/steelyard.wstest.WSTest/EchoStruct", served(echo::<Structs>))
        .route("/steelyard.wstest.WSTest/EchoList", served(echo::<List>))
        .route("/steelyard.wstest.WSTest/EchoSynthetic", served(echo::<Synthetic>))
        .route("/steelyard.wstest.WSTest/GetOrder", served(get_order))
}

type Operation<Asked, Answered> = fn(Asked) -> Result<Answered, Status>;

fn echo<Echoed>(message: Echoed) -> Result<Echoed, Status> {
    Ok(message)
}

fn get_order(request: OrderRequest) -> Result<PurchaseOrder, Status> {
    match order::by_id(request.order_id) {
        Some(order) => Ok(order.into()),
        None => Err(Status::not_found("there is no such order")),
    }
}

fn served<Asked, Answered>(operation: Operation<Asked, Answered>) -> MethodRouter<Requests>
where
    Asked: Message + Default + 'static,
    Answered: Message + 'static,
{
    post(move |_: Counted, request: Request| call(operation, request))
}

async fn call<Asked, Answered>(operation: Operation<Asked, Answered>, request: Request) -> Response
where
    Asked: Message + Default + 'static,
    Answered: Message + 'static,
{
    let content = request.headers().get(header::CONTENT_TYPE);
    if !content.is_some_and(|content| content.as_bytes().starts_with(GRPC.as_bytes())) {
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, "gRPC comes as application/grpc").into_response();
    }
    let answer =
        service_fn(move |asked: tonic::Request<Asked>| ready(operation(asked.into_inner()).map(tonic::Response::new)));
    Grpc::new(ProstCodec::<Answered, Asked>::default())
        .max_decoding_message_size(LARGEST_REQUEST)
        .unary(answer, request)
        .await
        .map(Body::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_nests_as_deep_as_it_is_long() {
        let one = |next| Item {
            value: Some(Structure::default()),
            next,
        };
        let chain = (1..200).fold(one(None), |next, _| one(Some(Box::new(next))));
        let list = List { list: Some(chain) };
        assert_eq!(List::decode(&list.encode_to_vec()[..]), Ok(list));
    }

    #[test]
    fn an_order_has_its_amounts_in_cents() {
        let order = get_order(OrderRequest { order_id: 12345 }).expect("an order");
        assert_eq!((order.reference.as_str(), order.items.len()), ("PO-000012345", 8));
        assert_eq!(order.items[0].unit_price, 2540);
        for id in [-1, 1_000_000_000] {
            assert!(get_order(OrderRequest { order_id: id }).is_err());
        }
    }
}
