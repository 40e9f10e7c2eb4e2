// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/serving-summary-writer.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace nadi;

TEST_CASE("Serving summary: times of which there are none are null", "[unit][simulation]")
{
    ServingTotals totals;
    totals.ttft.Add(SimTime::FromNs(5));
    const nlohmann::json summary = nlohmann::json::parse(WriteServing(totals));
    for (const char* const value : {"mean", "p50", "p90", "p99"})
    {
        // A percentile is rounded up by less than 0.1 %.
        CHECK(summary["ttft_ns"][value].get<double>() == Approx(5).epsilon(0.001));
        CHECK(summary["tpot_ns"][value].is_null());
        CHECK(summary["itl_ns"][value].is_null());
    }
}
