// SPDX-License-Identifier: GPL-2.0-only
#include "common/units.h"

#include <catch2/catch.hpp>

#include <limits>
#include <stdexcept>
#include <string>

using namespace nadi;

TEST_CASE("Bytes / Bandwidth: rounds up to the next picosecond", "[unit][common]")
{
    const auto rate = Bandwidth::FromBitsPerSecond(8'000'000'000'000); // one byte a picosecond
    CHECK((Bytes(4160) / rate).Ps() == 4160);
    const auto third = Bandwidth::FromBitsPerSecond(3 * 8'000'000'000'000);
    CHECK((Bytes(1) / third).Ps() == 1);
    CHECK((Bytes(3) / third).Ps() == 1);
    CHECK((Bytes(4) / third).Ps() == 2);
    CHECK((Bytes(0) / third).Ps() == 0);
}

TEST_CASE("Bytes / Bandwidth: exact far beyond 64-bit products", "[unit][common]")
{
    const Bytes tebibyte(int64_t{1} << 40);
    const auto rate = Bandwidth::FromBytesPerSecond(int64_t{1} << 40);
    CHECK((tebibyte / rate).Ps() == 1'000'000'000'000);
}

TEST_CASE("Bytes / Bandwidth: a time past the clock throws", "[unit][common]")
{
    const Bytes size(std::numeric_limits<int64_t>::max());
    CHECK_THROWS_AS(size / Bandwidth::FromBitsPerSecond(1), std::overflow_error);
    // 9223372 s is the clock's last whole second: 8 bits a second send as many bytes.
    const auto slow = Bandwidth::FromBitsPerSecond(8);
    CHECK((Bytes(9'223'372) / slow).Ps() == 9'223'372'000'000'000'000);
    CHECK_THROWS_AS(Bytes(9'223'373) / slow, std::overflow_error);
}

TEST_CASE("Flops / FlopRate: rounds up to the next picosecond", "[unit][common]")
{
    const FlopRate rate = FlopRate::FromFlopsPerSecond(3'000'000'000'000);
    CHECK((Flops(3) / rate).Ps() == 1);
    CHECK((Flops(4) / rate).Ps() == 2);
    CHECK((Flops(0) / rate).Ps() == 0);
}

TEST_CASE("SimTime: nanoseconds and microseconds are thousands", "[unit][common]")
{
    CHECK(SimTime::FromNs(3).Ps() == 3000);
    CHECK(SimTime::FromUs(3) == SimTime::FromNs(3000));
    CHECK((SimTime::FromNs(3) * 4 - SimTime::FromNs(2)).Ps() == 10'000);
    CHECK(SimTime::FromPs(1500).Ns() == 1.5);
}

namespace
{

/// What the error of `compute` says; empty: there is none.
template <class Compute>
std::string
OverflowText(Compute compute)
{
    try
    {
        compute();
    }
    catch (const std::overflow_error& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("Units: no sum, difference or product wraps", "[unit][common]")
{
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    const auto throws = [](auto compute) { return !OverflowText(compute).empty(); };
    const SimTime time = SimTime::FromPs(most);
    const SimTime ps = SimTime::FromPs(1);
    CHECK((SimTime::FromPs(most - 1) + ps).Ps() == most);
    CHECK(throws([&] { return time + ps; }));
    CHECK(throws([&] { return SimTime::FromPs(-2) - time; }));
    CHECK(throws([&] { return SimTime(time) += ps; }));
    CHECK(time.AddUpToMax(ps) == SimTime::Max());
    CHECK(SimTime::FromPs(most - 2).AddUpToMax(ps).Ps() == most - 1);
    CHECK((SimTime::FromPs(most / 3) * 3).Ps() == most / 3 * 3);
    CHECK(throws([&] { return SimTime::FromPs(most / 3) * 4; }));
    CHECK(SimTime::FromNs(most / 1000).Ps() == most / 1000 * 1000);
    CHECK(throws([&] { return SimTime::FromNs(most / 1000 + 1); }));
    CHECK(throws([&] { return SimTime::FromUs(most / 1'000'000 + 1); }));

    const Bytes size(most);
    const Bytes byte(1);
    CHECK(throws([&] { return size + byte; }));
    CHECK(throws([&] { return Bytes(-2) - size; }));
    CHECK(throws([&] { return Bytes(size) += byte; }));
    CHECK(throws([&] { return Bytes(-2) -= size; }));
    CHECK(throws([&] { return size * 2; }));

    const Bandwidth rate = Bandwidth::FromBitsPerSecond(most);
    CHECK(throws([&] { return rate + Bandwidth::FromBitsPerSecond(1); }));
    CHECK(throws([&] { return rate * 2; }));
    CHECK(throws([&] { return Bandwidth::FromBytesPerSecond(most / 8 + 1); }));
}

TEST_CASE("SimTime: an error says which times are too long together", "[unit][common]")
{
    const SimTime day = SimTime::FromUs(86'400'000'000);
    CHECK(OverflowText([&] { return day * 60 + day * 50; }) ==
          "5184000 s + 4320000 s passes the range of 64 bits");
    CHECK(OverflowText([&] { return day * 107; }) == "86400 s x 107 passes the range of 64 bits");
    CHECK(OverflowText([&] { return SimTime::FromPs(3) * (int64_t{1} << 62); }) ==
          "3 ps x 4611686018427387904 passes the range of 64 bits");
}
