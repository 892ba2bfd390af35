"""Prices, discounts and delivery costs. All amounts are whole cents."""

PRICES = {
    "sencha": 890,
    "earl grey": 920,
    "rooibos": 640,
    "masala chai": 750,
}

BULK_QUANTITY = 10
BULK_DISCOUNT_PERCENT = 10

DELIVERY = 490
FREE_DELIVERY_FROM = 4000


def unit_price(tea):
    """Return the price of one packet. Raise KeyError for a tea that we do not sell."""
    return PRICES[tea]


def line_price(tea, quantity):
    """Return the price of several packets of one tea, with the bulk discount."""
    price = unit_price(tea) * quantity
    if quantity > BULK_QUANTITY:
        price -= price * BULK_DISCOUNT_PERCENT // 100
    return price


def delivery_price(goods_price):
    """Return the delivery price for goods of this price."""
    if goods_price >= FREE_DELIVERY_FROM:
        return 0
    return DELIVERY
