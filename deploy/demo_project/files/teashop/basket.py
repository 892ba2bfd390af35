"""The shopping basket."""

from teashop.pricing import PRICES, delivery_price, line_price


class Basket:
    def __init__(self):
        self.quantities = {}

    def add(self, tea, quantity=1):
        """Add packets to the basket; a second call for the same tea adds to the first."""
        if tea not in PRICES:
            raise ValueError(f"we do not sell {tea}")
        if quantity < 1:
            raise ValueError("add at least one packet")
        self.quantities[tea] = self.quantities.get(tea, 0) + quantity

    def remove(self, tea):
        """Remove all packets of one tea. Do nothing if there are none."""
        self.quantities.pop(tea, None)

    def goods_price(self):
        return sum(line_price(tea, quantity) for tea, quantity in self.quantities.items())

    def total(self):
        """Return the price of goods and delivery. An empty basket costs nothing."""
        if not self.quantities:
            return 0
        goods = self.goods_price()
        return goods + delivery_price(goods)
