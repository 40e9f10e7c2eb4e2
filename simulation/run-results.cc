// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/run-results.h"

namespace nadi
{

std::string
ToText(RunStatus status)
{
    switch (status)
    {
    case RunStatus::Done:
        return "done";
    case RunStatus::Stuck:
        return "stuck";
    case RunStatus::Interrupted:
        break;
    }
    return "interrupted";
}

size_t
RunResults::SlowestRank() const
{
    size_t slowest = 0;
    for (size_t rank = 1; rank < ranks.size(); ++rank)
    {
        if (ranks[rank].metrics.finish > ranks[slowest].metrics.finish)
        {
            slowest = rank;
        }
    }
    return slowest;
}

Bytes
RunResults::BytesSent() const
{
    Bytes sum;
    for (const RankResult& rank : ranks)
    {
        sum += rank.sent;
    }
    return sum;
}

/// Bytes have 8 bits, and a second has 10^12 ps.
double
ComputeUtilization(Bytes carried, Bandwidth bandwidth, SimTime finish)
{
    if (finish == SimTime{})
    {
        return 0;
    }
    const double bits = static_cast<double>(carried.Count()) * 8;
    const double seconds = static_cast<double>(finish.Ps()) / 1e12;
    return bits / (static_cast<double>(bandwidth.BitsPerSecond()) * seconds);
}

} // namespace nadi
