//! Orders: one is kept with its lines and takes its items from the stock, or nothing of it happens.

use std::sync::atomic::Ordering;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use deadpool_postgres::Client;
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};
use steelyard_soap::Counted;
use tokio_postgres::types::{ToSql, Type};

use crate::Shop;
use crate::database::{Database, Session, Sql};
use crate::extract::{Check, Id, Valid, is_text};
use crate::refusal::Refusal;

const LONGEST_NAME: usize = 100;
const MOST_LINES: usize = 10;
const MOST_QUANTITY: i64 = 100;
const INSERT_ORDER: Sql = Sql {
    text: "INSERT INTO orders (customer) VALUES ($1) RETURNING id",
    types: &[Type::TEXT],
};
const TAKE_STOCK: Sql = Sql {
    text: "UPDATE item SET stock = stock - $2 WHERE id = $1 AND stock >= $2 RETURNING name, price_cents",
    types: &[Type::INT8, Type::INT8],
};
const INSERT_LINE: Sql = Sql {
    text: "INSERT INTO order_line (order_id, line_number, item_id, quantity, price_cents) VALUES ($1, $2, $3, $4, $5)",
    types: &[Type::INT8, Type::INT4, Type::INT8, Type::INT8, Type::INT8],
};
const ORDER_LINES: Sql = Sql {
    text: "SELECT customer, item_id, name, quantity, order_line.price_cents FROM orders \
           JOIN order_line ON order_id = orders.id JOIN item ON item.id = item_id \
           WHERE orders.id = $1 ORDER BY line_number",
    types: &[Type::INT8],
};

#[derive(Deserialize)]
pub struct OrderRequest {
    customer: String,
    lines: Vec<LineRequest>,
}

#[derive(Deserialize)]
struct LineRequest {
    item: i64,
    quantity: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlacedOrder {
    customer: String,
    lines: Vec<Line>,
    total_cents: i64,
}

#[derive(Serialize)]
pub struct Order {
    id: i64,
    #[serde(flatten)]
    placed: PlacedOrder,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    item: i64,
    name: String,
    quantity: i64,
    price_cents: i64,
}

impl Check for OrderRequest {
    fn is_valid(&self) -> bool {
        is_text(&self.customer, 1, LONGEST_NAME)
            && (1..=MOST_LINES).contains(&self.lines.len())
            && self
                .lines
                .iter()
                .all(|line| line.item > 0 && (1..=MOST_QUANTITY).contains(&line.quantity))
            && !self.has_item_twice()
    }
}

impl OrderRequest {
    fn has_item_twice(&self) -> bool {
        self.lines
            .iter()
            .enumerate()
            .any(|(number, line)| self.lines[..number].iter().any(|other| other.item == line.item))
    }
}

impl PlacedOrder {
    fn without_lines(customer: String) -> Self {
        Self {
            customer,
            lines: Vec::new(),
            total_cents: 0,
        }
    }

    fn add(&mut self, line: Line) {
        self.total_cents += line.quantity * line.price_cents;
        self.lines.push(line);
    }
}

pub async fn place_order(
    _: Counted,
    State(shop): State<Shop>,
    Valid(request): Valid<OrderRequest>,
) -> Result<impl IntoResponse, Refusal> {
    let (id, placed) = place(&shop.database, request).await?;
    shop.accepted.fetch_add(1, Ordering::Relaxed);
    let location = [(header::LOCATION, format!("/shop/orders/{id}"))];
    Ok((StatusCode::CREATED, location, Json(placed)))
}

/// The id of a new order, and what was ordered. It begins again as often as PostgreSQL ends the transaction for its isolation.
async fn place(database: &Database, mut request: OrderRequest) -> Result<(i64, PlacedOrder), Refusal> {
    request.lines.sort_unstable_by_key(|line| line.item); // the order in which all orders lock items
    let mut client = database.client().await?;
    loop {
        match place_once(database, &mut client, &request).await {
            Err(Refusal::Overtaken) => {}
            placed => return placed,
        }
    }
}

/// A transaction that ends by an error is rolled back when it is dropped.
async fn place_once(
    database: &Database,
    client: &mut Client,
    request: &OrderRequest,
) -> Result<(i64, PlacedOrder), Refusal> {
    let transaction = client.transaction().await?;
    let session = database.session_within(&transaction);
    let inserted = session.rows(&INSERT_ORDER, &[&request.customer]).await?;
    let inserted = inserted
        .first()
        .ok_or_else(|| Refusal::Failed("an order got no id".to_owned()))?;
    let id = inserted.try_get(0)?;
    let mut placed = PlacedOrder::without_lines(request.customer.clone());
    for wanted in &request.lines {
        placed.add(take(&session, wanted).await?);
    }
    let lines = placed.lines.iter().zip(1..);
    try_join_all(lines.map(|(line, number)| insert(&session, id, number, line))).await?; // pipelined
    transaction.commit().await?;
    Ok((id, placed))
}

/// Takes an item from the stock, if there is enough of it.
async fn take(session: &Session<'_>, wanted: &LineRequest) -> Result<Line, Refusal> {
    let taken = session.rows(&TAKE_STOCK, &[&wanted.item, &wanted.quantity]).await?;
    let row = taken.first().ok_or(Refusal::OutOfStock)?;
    Ok(Line {
        item: wanted.item,
        name: row.try_get(0)?,
        quantity: wanted.quantity,
        price_cents: row.try_get(1)?,
    })
}

async fn insert(session: &Session<'_>, order: i64, number: i32, line: &Line) -> Result<(), Refusal> {
    let values: [&(dyn ToSql + Sync); 5] = [&order, &number, &line.item, &line.quantity, &line.price_cents];
    session.rows(&INSERT_LINE, &values).await?;
    Ok(())
}

pub async fn order(_: Counted, State(shop): State<Shop>, Id(id): Id) -> Result<Json<Order>, Refusal> {
    let client = shop.database.client().await?;
    let rows = shop.database.session(&client).rows(&ORDER_LINES, &[&id]).await?;
    let mut placed = PlacedOrder::without_lines(rows.first().ok_or(Refusal::NotFound)?.try_get(0)?);
    for row in &rows {
        placed.add(Line {
            item: row.try_get(1)?,
            name: row.try_get(2)?,
            quantity: row.try_get(3)?,
            price_cents: row.try_get(4)?,
        });
    }
    Ok(Json(Order { id, placed }))
}
