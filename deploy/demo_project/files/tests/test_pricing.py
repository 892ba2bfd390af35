import pytest

from teashop.pricing import delivery_price, line_price, unit_price


def test_one_packet_costs_its_list_price():
    assert line_price("sencha", 1) == unit_price("sencha") == 890


def test_nine_packets_get_no_discount():
    assert line_price("rooibos", 9) == 9 * 640


def test_ten_packets_get_the_bulk_discount():
    assert line_price("rooibos", 10) == 5760


def test_a_tea_we_do_not_sell_has_no_price():
    with pytest.raises(KeyError):
        unit_price("coffee")


def test_delivery_is_free_from_forty_euros():
    assert delivery_price(3999) == 490
    assert delivery_price(4000) == 0
