// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-hpcc.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricHpcc);

namespace
{

/// The part of the port's rate that it used from one start to another.
double
ComputeThroughput(const FabricTelemetryRecord& before,
                  const FabricTelemetryRecord& now,
                  uint64_t rate)
{
    const double bytes = static_cast<double>(now.startedBytes - before.startedBytes);
    const double time = static_cast<double>(now.time - before.time);
    return FABRIC_BYTE_PICOSECONDS * bytes / (time * static_cast<double>(rate));
}

/// Whether both can be of one port, `now` later than `before`: between two starts a port has sent
/// something, and no more than its rate allows: the faster one, where a fault changed it between
/// the two.
bool
IsSamePort(const FabricTelemetryRecord& before, const FabricTelemetryRecord& now)
{
    // Allows for the rounding of the quotient. Times of transmissions are rounded up to a
    // picosecond, so the exact quotient is at most 1.
    const double rounding = 1e-9;
    return now.time > before.time && now.startedBytes > before.startedBytes &&
           ComputeThroughput(before, now, std::max(before.rate, now.rate)) <= 1 + rounding;
}

} // namespace

FabricHpccRateControl::FabricHpccRateControl(const FabricPathProperties& path,
                                             const FabricHpccParameters& parameters)
    : FabricRateControl(path)
    , m_parameters(parameters)
    , m_roundTrip(static_cast<double>(std::max<int64_t>(path.baseRoundTrip, 1)))
    , m_bandwidthDelay(static_cast<double>(path.GetBandwidthDelayProduct()))
    , m_referenceRate(m_rate)
{
    SetRate(m_rate);
}

void
FabricHpccRateControl::OnAcknowledgement(const FabricFeedback& feedback)
{
    if (!feedback.telemetry || feedback.telemetry->empty())
    {
        return;
    }
    // Asked before anything can return, as each acknowledgement must be counted once.
    const bool isNewRoundTrip = m_roundTrips.Begins(feedback);
    if (!IsSamePath(*feedback.telemetry))
    {
        m_lastRecords = *feedback.telemetry;
        return;
    }
    MeasureUtilization(*feedback.telemetry);
    const double excess = m_utilization / m_parameters.targetUtilization;
    const bool isMultiplicative = excess >= 1 || m_stage >= m_parameters.maxStage;
    SetRate((isMultiplicative ? m_referenceRate / excess : m_referenceRate) +
            m_parameters.additiveIncrease);
    // R reacts to each acknowledgement, but always from the reference Rc. So the acknowledgements
    // of one round trip, which all report the same congestion, do not multiply their reactions.
    if (isNewRoundTrip)
    {
        m_referenceRate = m_rate;
        m_stage = isMultiplicative ? 0 : m_stage + 1;
    }
}

bool
FabricHpccRateControl::IsSamePath(const FabricTelemetry& records) const
{
    // Lists of different lengths are not equal. So the first acknowledgement, before which there
    // are no records, and one with another number of hops count as another path.
    return std::equal(
        m_lastRecords.begin(), m_lastRecords.end(), records.begin(), records.end(), IsSamePort);
}

void
FabricHpccRateControl::MeasureUtilization(const FabricTelemetry& records)
{
    double highest = 0;
    double time = 0; // since the last record of the hop with the highest load
    for (std::size_t hop = 0; hop < records.size(); ++hop)
    {
        const FabricTelemetryRecord& before = m_lastRecords[hop];
        const FabricTelemetryRecord& now = records[hop];
        // The smaller of the two queues: a burst that is gone again is no standing queue.
        const double queue = static_cast<double>(std::min(now.queueBytes, before.queueBytes));
        const double load =
            FABRIC_BYTE_PICOSECONDS * queue / (static_cast<double>(now.rate) * m_roundTrip) +
            ComputeThroughput(before, now, now.rate);
        if (load > highest)
        {
            highest = load;
            time = static_cast<double>(now.time - before.time);
        }
    }
    // An observation counts for the part of a round trip that it covers. So U averages over about
    // one round trip, however many acknowledgements come in it.
    const double weight = std::min(time / m_roundTrip, 1.0);
    m_utilization = (1 - weight) * m_utilization + weight * highest;
    m_lastRecords = records;
}

/// Sets the window as well: W = R T, at least one frame.
void
FabricHpccRateControl::SetRate(double rate)
{
    const double lineRate = static_cast<double>(m_path.lineRate);
    const double before = m_rate;
    m_rate = std::clamp(rate, m_parameters.minRate, lineRate);
    if (m_rate < before)
    {
        CountSlowdown();
    }
    const double window = std::ceil(m_bandwidthDelay * (m_rate / lineRate));
    // Less than a frame would still let one frame start, so the rate paces it below that.
    m_window = std::max<uint64_t>(static_cast<uint64_t>(window), m_path.payload);
}

TypeId
FabricHpcc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricHpcc")
            .SetParent<FabricCongestionControl>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricHpcc>()
            .AddAttribute("TargetUtilization",
                          "The target utilization eta: the part of a link's rate that senders aim "
                          "at, from 0.01 to 1.",
                          DoubleValue(0.95),
                          MakeDoubleAccessor(&FabricHpcc::m_targetUtilization),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("MaxStage",
                          "The number of additive steps, one for each round trip, after which a "
                          "multiplicative step is taken even below the target utilization. The "
                          "paper has 5; the parameter files of the HPCC simulator have 0, with "
                          "which each step is multiplicative.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricHpcc::m_maxStage),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "AdditiveIncrease",
                "The increase AI that each step adds to the rate. By default (0, auto) it is 10 "
                "Mb/s for each 25 Gb/s of line rate. The rule of the paper is line rate * (1 - "
                "eta) / N for N flows that share a link; the default is its value for N = 125.",
                DataRateValue(DataRate(0)),
                MakeDataRateAccessor(&FabricHpcc::m_additiveIncrease),
                MakeDataRateChecker());
    return tid;
}

std::string
FabricHpcc::GetHelp() const
{
    return "HPCC (Li et al., SIGCOMM 2019) computes the rate and the window of a sender from the "
           "link "
           "utilization that switches write into frames.";
}

FabricCongestionSignals
FabricHpcc::GetSignals() const
{
    FabricCongestionSignals signals;
    signals.everyAcknowledgement = true;
    signals.telemetry = true;
    return signals;
}

std::unique_ptr<FabricRateControl>
FabricHpcc::Open(const FabricPathProperties& path, int64_t /*now*/) const
{
    FabricHpccParameters parameters;
    parameters.targetUtilization = m_targetUtilization;
    parameters.additiveIncrease = ScaleRate(m_additiveIncrease, {10'000'000, 25'000'000'000}, path);
    parameters.minRate = GetMinRate(path);
    parameters.maxStage = m_maxStage;
    return std::make_unique<FabricHpccRateControl>(path, parameters);
}

} // namespace ns3
