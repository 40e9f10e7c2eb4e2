// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/transfer-watch.h"

#include <catch2/catch.hpp>

using namespace nadi;

TEST_CASE("TransferWatch: a pass met a transfer that shared more than an instant with it",
          "[unit][workload][serving]")
{
    const auto at = [](int64_t ps) { return SimTime::FromPs(ps); };
    TransferWatch watch;
    CHECK(!watch.MetAny(at(0), at(5)));
    watch.Note(true, at(10));
    watch.Note(true, at(12)); // another one, or the same still
    CHECK(!watch.MetAny(at(5), at(10)));
    CHECK(watch.MetAny(at(5), at(13)));
    CHECK(watch.MetAny(at(12), at(13)));
    watch.Note(false, at(20));
    CHECK(watch.MetAny(at(19), at(30)));
    CHECK(!watch.MetAny(at(20), at(30)));
    // A later one does not hide that an earlier one was there.
    watch.Note(true, at(30));
    CHECK(watch.MetAny(at(19), at(30)));
    CHECK(!watch.MetAny(at(20), at(30)));
    CHECK(watch.MetAny(at(20), at(31)));
}
