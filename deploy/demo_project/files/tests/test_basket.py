import pytest

from teashop.basket import Basket


def test_an_empty_basket_costs_nothing():
    assert Basket().total() == 0


def test_adding_twice_adds_up():
    basket = Basket()
    basket.add("earl grey")
    basket.add("earl grey", 2)
    assert basket.goods_price() == 2760


def test_a_removed_tea_costs_nothing():
    basket = Basket()
    basket.add("sencha")
    basket.add("rooibos")
    basket.remove("sencha")
    assert basket.total() == 640 + 490


def test_less_than_one_packet_is_refused():
    with pytest.raises(ValueError):
        Basket().add("sencha", 0)
