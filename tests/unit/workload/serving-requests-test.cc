// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/generated-requests.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

using namespace nadi;

namespace
{

std::vector<Request>
DrawAll(const ArrivalOptions& options, uint64_t seed = 1)
{
    GeneratedRequests source(options, seed);
    std::vector<Request> requests;
    while (const std::optional<Request> request = source.Next())
    {
        requests.push_back(*request);
    }
    return requests;
}

struct Moments
{
    double mean = 0;
    double variation = 0; ///< standard deviation over mean
};

Moments
MomentsOf(const std::vector<double>& values)
{
    double sum = 0;
    double squares = 0;
    for (const double value : values)
    {
        sum += value;
        squares += value * value;
    }
    const double count = static_cast<double>(values.size());
    const double mean = sum / count;
    return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean)) / mean};
}

std::vector<double>
GapsOf(const std::vector<Request>& requests)
{
    std::vector<double> gaps;
    SimTime last;
    for (const Request& request : requests)
    {
        gaps.push_back((request.arrival - last).Ns() / 1e9);
        last = request.arrival;
    }
    return gaps;
}

} // namespace

TEST_CASE("GeneratedRequests: gaps have the rate and the variation that were asked for",
          "[unit][workload][serving]")
{
    using Process = ArrivalOptions::Process;
    ArrivalOptions options{.rate = 20, .variation = 2, .count = 100000};
    for (const auto& [process, variation] :
         {std::pair(Process::Poisson, 1.0), {Process::Gamma, 2.0}, {Process::Constant, 0.0}})
    {
        options.process = process;
        const Moments moments = MomentsOf(GapsOf(DrawAll(options)));
        CHECK(moments.mean == Approx(1.0 / 20).epsilon(0.02));
        CHECK(std::abs(moments.variation - variation) < 0.03);
    }
}

TEST_CASE("GeneratedRequests: lengths have the mean that was asked for",
          "[unit][workload][serving]")
{
    using Kind = LengthDistribution::Kind;
    ArrivalOptions options{.rate = 1, .count = 50000};
    options.input = {.kind = Kind::Lognormal, .mean = 200, .sigma = 1};
    options.output = {.kind = Kind::Uniform, .least = 10, .most = 30};
    std::vector<double> inputs;
    std::set<uint64_t> outputs;
    for (const Request& request : DrawAll(options))
    {
        inputs.push_back(static_cast<double>(request.input));
        outputs.insert(request.output);
    }
    // The logarithm of a lognormal value of sigma 1 has this: sqrt(e - 1) = 1.31.
    const Moments moments = MomentsOf(inputs);
    CHECK(moments.mean == Approx(200).epsilon(0.03));
    CHECK(moments.variation == Approx(std::sqrt(std::exp(1.0) - 1)).epsilon(0.1));
    CHECK(outputs.size() == 21);
    CHECK(*outputs.begin() == 10);
    CHECK(*outputs.rbegin() == 30);
}

TEST_CASE("GeneratedRequests: a request depends on the seed and its number only",
          "[unit][workload][serving]")
{
    ArrivalOptions options{.rate = 5, .count = 50};
    options.output = {.kind = LengthDistribution::Kind::Exponential, .mean = 80};
    const std::vector<Request> some = DrawAll(options);
    options.count = 100;
    const std::vector<Request> more = DrawAll(options);
    const std::vector<Request> others = DrawAll(options, 2);
    bool differs = false;
    for (size_t i = 0; i < some.size(); ++i)
    {
        CHECK(some[i].arrival == more[i].arrival);
        CHECK(some[i].output == more[i].output);
        differs = differs || some[i].output != others[i].output;
    }
    CHECK(differs);
}

TEST_CASE("GeneratedRequests: users ask again when they have thought", "[unit][workload][serving]")
{
    ArrivalOptions options{.process = ArrivalOptions::Process::Closed,
                           .users = 2,
                           .think = SimTime::FromNs(50),
                           .count = 3};
    GeneratedRequests source(options, 1);
    const std::optional<Request> first = source.Next();
    const std::optional<Request> second = source.Next();
    REQUIRE((first && second));
    CHECK(second->arrival == SimTime());
    CHECK(!source.Next());
    const std::optional<Request> third = source.NextAfter(*first, SimTime::FromNs(100));
    REQUIRE(third);
    CHECK(third->id == 2);
    CHECK(third->arrival == SimTime::FromNs(150));
    CHECK(!source.NextAfter(*second, SimTime::FromNs(200)));
}
