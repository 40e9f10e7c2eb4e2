// SPDX-License-Identifier: GPL-2.0-only
// configs/congestion/incast-*.yaml and convergence-*.yaml: they run as they are, nothing is lost,
// and each congestion control moves queues and shares in the direction of its theory.
#include "tests/support/congestion-experiment.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace nadi::test;

namespace
{

/// One lossless run under a congestion control.
class Experiment : public CongestionExperiment
{
  public:
    Experiment(const std::string& config,
               const std::string& control,
               std::vector<std::string> settings = {})
        : CongestionExperiment(config, WithControl(control, std::move(settings)))
    {
        CheckLossless();
    }

    /// Mean rate of a sender's link between two times, as a part of the link.
    double ShareOf(const std::string& sender, double beginNs, double endNs) const
    {
        const double interval = 100'000;
        double sum = 0;
        for (const CsvRow& row : Rows("series.csv"))
        {
            const double time = std::stod(row.at("time_ns"));
            if (row.at("from") == sender && time > beginNs && time <= endNs)
            {
                sum += std::stod(row.at("utilization"));
            }
        }
        return sum * interval / (endNs - beginNs);
    }

  private:
    static std::vector<std::string> WithControl(const std::string& control,
                                                std::vector<std::string> settings)
    {
        settings.push_back("network.packet.congestion-control=" + control);
        return settings;
    }
};

/// 1 when all have the same, 1/n when one has all (Jain, Chiu and Hawe, 1984).
double
FairnessIndex(const std::vector<double>& values)
{
    double sum = 0;
    double squares = 0;
    for (const double value : values)
    {
        sum += value;
        squares += value * value;
    }
    return sum * sum / (static_cast<double>(values.size()) * squares);
}

double
FairnessOfFlows(const Experiment& experiment)
{
    std::vector<double> rates;
    for (const CsvRow& row : experiment.Rows("flows.csv"))
    {
        rates.push_back(std::stod(row.at("size_bytes")) / std::stod(row.at("fct_ns")));
    }
    return FairnessIndex(rates);
}

const std::string DCTCP_MARKS = "network.packet.ecn={min: 300 KB, max: 300 KB, probability: 1}";

Experiment
RunWithItsMarks(const std::string& config, const std::string& control)
{
    return {config,
            control,
            control == "dctcp" ? std::vector{DCTCP_MARKS} : std::vector<std::string>{}};
}

} // namespace

TEST_CASE("Incast: without a congestion control pauses hold what the buffer cannot",
          "[golden][congestion]")
{
    const std::string config = GENERATE("incast-8", "incast-32");
    const Experiment none(config, "none");
    CHECK(none.Count("pauses") > 0);
    CHECK(none.LongestQueue() < 32e6); // the buffer
    // The link works all the time: 32 MiB in frames of 1000 B with 48 B more, at 12.5 B/ns. Each
    // flow may end with a short frame; some microseconds pass before the first frame arrives.
    const double busy = (1 << 25) * 1.048 / 12.5;
    CHECK(none.FinishNs() > busy);
    CHECK(none.FinishNs() < busy + 10'000);
}

TEST_CASE("Incast: every congestion control shortens the queue of 8 senders without pauses",
          "[golden][congestion]")
{
    const std::string control = GENERATE("dcqcn", "hpcc", "timely", "swift", "dctcp");
    CAPTURE(control);
    const Experiment none("incast-8", "none");
    const Experiment controlled = RunWithItsMarks("incast-8", control);
    CHECK(controlled.Count("pauses") == 0);
    CHECK(controlled.LongestQueue() < none.LongestQueue() / 2);
    CHECK(FairnessOfFlows(controlled) > 0.95);
}

TEST_CASE("Incast: a window bounds the queue by one bandwidth-delay product a sender",
          "[golden][congestion]")
{
    const std::string control = GENERATE("hpcc", "dctcp");
    const int senders = GENERATE(8, 32);
    CAPTURE(control, senders);
    const Experiment windows = RunWithItsMarks("incast-" + std::to_string(senders), control);
    // Four links of 1 us, two frames of 83.84 ns and two acknowledgements of 5.12 ns at 12.5 B/ns;
    // in whole frames, one more at most.
    const double frames = (4000 + 2 * (83.84 + 5.12)) * 12.5 / 1000 + 1;
    CHECK(windows.LongestQueue() < senders * frames * 1048);
    CHECK(windows.LongestQueue() > senders * frames * 1048 / 2);
}

TEST_CASE("Incast: HPCC leaves less queue and less throughput than marks do",
          "[golden][congestion]")
{
    const Experiment hpcc("incast-8", "hpcc");
    const Experiment dctcp = RunWithItsMarks("incast-8", "dctcp");
    CHECK(hpcc.Count("ecn_marks") == 0);
    CHECK(dctcp.Count("ecn_marks") > 0);
    // It aims at 95 % of the link.
    CHECK(hpcc.FinishNs() > dctcp.FinishNs());
    CHECK(hpcc.FinishNs() < dctcp.FinishNs() / 0.93);
}

TEST_CASE("Convergence: two flows come to equal shares under each congestion control",
          "[golden][congestion]")
{
    const std::string control = GENERATE("dcqcn", "hpcc", "timely", "swift");
    CAPTURE(control);
    const Experiment two("convergence-2", control);
    CHECK(two.ShareOf("npu0", 3e6, 5e6) > 0.94); // alone
    const double first = two.ShareOf("npu0", 13e6, 15e6);
    const double second = two.ShareOf("npu1", 13e6, 15e6);
    CHECK(FairnessIndex({first, second}) > 0.98);
    CHECK(first + second > 0.75);
}

TEST_CASE("Convergence: HPCC's additive step decides how fair four flows become",
          "[golden][congestion]")
{
    const auto fairness = [](const std::string& step)
    {
        const Experiment four("convergence-4", "{name: hpcc, additive-increase: " + step + "}");
        std::vector<double> shares;
        for (const std::string sender : {"npu0", "npu1", "npu2", "npu3"})
        {
            shares.push_back(four.ShareOf(sender, 18e6, 20e6));
        }
        CHECK(shares[0] + shares[1] + shares[2] + shares[3] == Approx(0.95).margin(0.03));
        return FairnessIndex(shares);
    };
    const double published = fairness("40 Mb/s");
    const double tenfold = fairness("400 Mb/s");
    CHECK(published < tenfold);
    CHECK(tenfold > 0.99);
}
