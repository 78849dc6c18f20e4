//! Items, by their ids and by keyword.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use steelyard_soap::Counted;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::Shop;
use crate::database::Sql;
use crate::extract::{Id, Parameters, id, is_text};
use crate::refusal::Refusal;

const MOST_IDS: usize = 100;
const LONGEST_KEYWORD: usize = 100;
const ITEM_BY_ID: Sql = Sql {
    text: "SELECT id, name, keyword, price_cents, description FROM item WHERE id = $1",
    types: &[Type::INT8],
};
const ITEMS_BY_ID: Sql = Sql {
    text: "SELECT id, name, keyword, price_cents, description FROM item WHERE id = ANY($1) ORDER BY id",
    types: &[Type::INT8_ARRAY],
};
const CHEAPEST_ITEMS: Sql = Sql {
    text: "SELECT id, name, keyword, price_cents, description FROM item WHERE keyword = $1 ORDER BY price_cents, id LIMIT 10",
    types: &[Type::TEXT],
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    id: i64,
    name: String,
    keyword: String,
    price_cents: i64,
    description: String,
}

#[derive(Serialize)]
pub struct Items {
    items: Vec<Item>,
}

#[derive(Deserialize)]
pub struct Ids {
    ids: String,
}

#[derive(Deserialize)]
pub struct Keyword {
    q: String,
}

pub async fn item(_: Counted, State(shop): State<Shop>, Id(id): Id) -> Result<Json<Item>, Refusal> {
    let client = shop.database.client().await?;
    let rows = shop.database.session(&client).rows(&ITEM_BY_ID, &[&id]).await?;
    let row = rows.first().ok_or(Refusal::NotFound)?;
    Ok(Json(Item::try_from(row)?))
}

pub async fn items(
    _: Counted,
    State(shop): State<Shop>,
    Parameters(Ids { ids }): Parameters<Ids>,
) -> Result<Json<Items>, Refusal> {
    list(&shop, &ITEMS_BY_ID, &numbers(&ids)?).await
}

pub async fn search(
    _: Counted,
    State(shop): State<Shop>,
    Parameters(Keyword { q }): Parameters<Keyword>,
) -> Result<Json<Items>, Refusal> {
    if !is_text(&q, 1, LONGEST_KEYWORD) {
        return Err(Refusal::NotValid);
    }
    list(&shop, &CHEAPEST_ITEMS, &q).await
}

/// The items that a statement of one parameter finds.
async fn list(shop: &Shop, sql: &Sql, value: &(dyn ToSql + Sync)) -> Result<Json<Items>, Refusal> {
    let client = shop.database.client().await?;
    let rows = shop.database.session(&client).rows(sql, &[value]).await?;
    let items: Result<_, _> = rows.iter().map(Item::try_from).collect();
    Ok(Json(Items { items: items? }))
}

/// The ids of a list with commas, at most `MOST_IDS`.
fn numbers(text: &str) -> Result<Vec<i64>, Refusal> {
    let numbers: Vec<i64> = text.split(',').take(MOST_IDS + 1).map(id).collect::<Result<_, _>>()?;
    if numbers.len() > MOST_IDS {
        return Err(Refusal::NotValid);
    }
    Ok(numbers)
}

impl TryFrom<&Row> for Item {
    type Error = tokio_postgres::Error;

    fn try_from(row: &Row) -> Result<Self, Self::Error> {
        Ok(Self {
            id: row.try_get(0)?,
            name: row.try_get(1)?,
            keyword: row.try_get(2)?,
            price_cents: row.try_get(3)?,
            description: row.try_get(4)?,
        })
    }
}
