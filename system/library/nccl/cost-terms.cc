// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/cost-terms.h"

#include <algorithm>
#include <cmath>

namespace nadi::nccl
{

namespace
{

/// Types that the library has only as grouped sends and receives.
bool
IsPeerToPeer(CollectiveType type)
{
    return type == CollectiveType::AllToAll || type == CollectiveType::Gather ||
           type == CollectiveType::Scatter;
}

/// us that the launch of a call takes.
double
LaunchFloorOf(const CostContext& context)
{
    const CostParameters& values = context.values;
    const double single = values.Get("launch-floor");
    if (context.launch == Launch::ProcessPerGpu)
    {
        return single;
    }
    const char* const each = IsPeerToPeer(context.type) ? "p2p-launch-of-each" : "launch-of-each";
    // A process with several GPUs launches their kernels one after the other.
    const double several = values.Get(each) * context.machine.Local();
    // Where the launch is not known, the floor is the geometric mean of the two.
    return context.launch == Launch::ProcessPerNode ? several : std::sqrt(single * several);
}

} // namespace

std::string
With(const std::string& key, KernelProtocol protocol)
{
    switch (protocol)
    {
    case KernelProtocol::LL:
        return key + "-ll";
    case KernelProtocol::LL128:
        return key + "-ll128";
    default:
        return key + "-simple";
    }
}

SimTime
FromUs(double us)
{
    return SimTime::FromPs(std::llround(us * 1e6));
}

SimTime
BeyondWire(double us, SimTime wire)
{
    // A network whose wire takes longer than the whole hop of the preset adds nothing to the wire.
    return std::max(SimTime(), FromUs(us) - wire);
}

double
PsPerByte(double rate)
{
    return 1e3 / rate;
}

double
FloorOf(const CostContext& context)
{
    const double launch = LaunchFloorOf(context);
    // A host that waits still has to launch before.
    return context.isBlocking ? std::max(launch, context.values.Get("blocking-floor")) : launch;
}

double
StartOf(const CostContext& context, KernelProtocol protocol, uint32_t channels)
{
    return context.values.Get(With("base", protocol)) +
           channels * context.values.Get("channel-start");
}

double
LinkShare(const CostParameters& values, KernelProtocol protocol)
{
    // Presets have the rates of LL and LL128 as parts of the rate of Simple.
    const double simple = values.Get("rate-simple");
    return protocol == KernelProtocol::Simple ? simple
                                              : simple * values.Get(With("rate", protocol));
}

double
NicShare(const CostParameters& values, KernelProtocol protocol)
{
    const double simple = values.Get("net-rate-simple");
    return protocol == KernelProtocol::Simple ? simple
                                              : simple * values.Get(With("net-rate", protocol));
}

uint32_t
ChannelsOfSend(double size)
{
    constexpr uint32_t fewest = 8;
    constexpr uint32_t most = 32;
    constexpr double fullChannel = 16.0 * 1024 * 1024;
    uint32_t channels = fewest;
    while (channels < most && size > channels * fullChannel)
    {
        channels *= 2;
    }
    return channels;
}

double
ChannelsRate(const CostParameters& values, uint32_t peers, uint32_t channels)
{
    return std::clamp(peers, 1U, PEERS_AT_ONCE) * channels * values.Get("p2p-channel");
}

double
OverLaunch(double floor, double kernel)
{
    const double larger = std::max(floor, kernel);
    if (larger <= 0)
    {
        return 0;
    }
    const double ratio = std::min(floor, kernel) / larger;
    const double cube = ratio * ratio * ratio;
    return larger * std::cbrt(std::sqrt(1 + cube * cube));
}

} // namespace nadi::nccl
