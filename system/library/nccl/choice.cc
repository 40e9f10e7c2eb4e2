// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/choice.h"

#include "system/library/nccl/time-estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace nadi::nccl
{

namespace
{

constexpr Release FIRST_WITH_LL128{2, 5};
constexpr Release FIRST_WITH_NVLS{2, 17};
constexpr Release FIRST_WITH_NVLS_TREE{2, 18};

/// Of the kind of NVLS that the nodes of the machine need: NVLS in one, NVLSTree in several.
Release
FirstWithNvls(const Machine& machine)
{
    return machine.nodes == 1 ? FIRST_WITH_NVLS : FIRST_WITH_NVLS_TREE;
}

/// LL128 needs stores of 128 bytes to arrive whole: GPU and NIC below one PCIe switch, or since
/// 2.28 a way through C2C.
bool
AllowsLL128(const Machine& machine)
{
    if (machine.generation == Generation::Mi300x || machine.release < FIRST_WITH_LL128)
    {
        return false;
    }
    if (machine.nodes == 1)
    {
        return true;
    }
    if (machine.nicPath == NicPath::C2c)
    {
        return machine.release >= Release{2, 28};
    }
    const bool isHopper =
        machine.generation == Generation::H100 || machine.generation == Generation::B200;
    return machine.nicPath == NicPath::PcieSwitch &&
           !(isHopper && machine.release < Release{2, 17});
}

/// A wish gets NVLS wherever NVLS can run. By itself the library considers it only from five GPUs
/// of a node on (Machine::PrefersNvls).
bool
MayUseNvls(const Machine& machine, const KernelWish& wish)
{
    // NVLS runs with Simple only, so a wish for another protocol rules it out, as it does in the
    // library.
    if (wish.protocol && *wish.protocol != KernelProtocol::Simple)
    {
        return false;
    }
    const bool isWished = wish.algorithm && IsNvls(*wish.algorithm);
    return machine.release >= FirstWithNvls(machine) &&
           (isWished ? machine.AllowsNvls() : machine.PrefersNvls());
}

/// In the order in which equal estimates are decided (ChooseKernel).
std::vector<KernelAlgorithm>
AllowedAlgorithms(const Machine& machine, CollectiveType type, const KernelWish& wish)
{
    std::vector<KernelAlgorithm> algorithms{KernelAlgorithm::Ring};
    if (type != CollectiveType::AllReduce)
    {
        return algorithms;
    }
    algorithms.push_back(KernelAlgorithm::Tree);
    if (MayUseNvls(machine, wish))
    {
        algorithms.push_back(machine.nodes == 1 ? KernelAlgorithm::Nvls
                                                : KernelAlgorithm::NvlsTree);
    }
    return algorithms;
}

/// Requires: NVLS cannot run on the machine (Machine::AllowsNvls).
std::string
DescribeMissingNvls(const Machine& machine)
{
    if (machine.generation != Generation::H100 && machine.generation != Generation::B200)
    {
        return "its GPUs cannot; those of the presets h100, h200, gh200, b200 and gb200 can";
    }
    if (machine.wiring != NodeWiring::Switch)
    {
        return "no switch connects the GPUs of a node";
    }
    if (!machine.isRegular)
    {
        return "its nodes have unequal numbers of its ranks";
    }
    return machine.switchesReduce
               ? fmt::format("it needs {} ranks in each node", Machine::LEAST_NVLS_RANKS)
               : std::string("the switches of its nodes cannot reduce for it");
}

/// Requires: the wish is NVLS of some kind for an all-reduce, and cannot run.
std::string
DescribeNvlsObstacle(const Machine& machine, const KernelWish& wish)
{
    const Release first = FirstWithNvls(machine);
    if (machine.release < first)
    {
        return fmt::format("the library has {} from release {}.{} on",
                           machine.nodes == 1 ? "it" : "nvls-tree, which several nodes need,",
                           first.major,
                           first.minor);
    }
    if (!machine.AllowsNvls())
    {
        return DescribeMissingNvls(machine);
    }
    if (wish.protocol && *wish.protocol != KernelProtocol::Simple)
    {
        return "it runs with the protocol Simple only, and system.library.protocol is " +
               ToText(*wish.protocol);
    }
    // Last, so that what is said to be written does run.
    return machine.nodes == 1 ? "its ranks are in one node; write nvls for such"
                              : "its ranks are in several nodes; write nvls-tree for such";
}

/// With a wish for an algorithm that cannot run, the ring does.
bool
CanRunWish(const Machine& machine, CollectiveType type, const KernelWish& wish)
{
    const std::vector<KernelAlgorithm> algorithms = AllowedAlgorithms(machine, type, wish);
    return std::find(algorithms.begin(), algorithms.end(), *wish.algorithm) != algorithms.end();
}

} // namespace

std::vector<KernelProtocol>
AllowedProtocols(const Machine& machine)
{
    if (machine.isSimpleOnly)
    {
        return {KernelProtocol::Simple};
    }
    if (AllowsLL128(machine))
    {
        return {KernelProtocol::LL, KernelProtocol::LL128, KernelProtocol::Simple};
    }
    return {KernelProtocol::LL, KernelProtocol::Simple};
}

std::vector<Kernel>
AllowedKernels(const Machine& machine, CollectiveType type, const KernelWish& wish)
{
    std::vector<KernelAlgorithm> algorithms = AllowedAlgorithms(machine, type, wish);
    if (wish.algorithm)
    {
        // A wish that cannot be met is no error: the ring runs instead.
        algorithms = {CanRunWish(machine, type, wish) ? *wish.algorithm : KernelAlgorithm::Ring};
    }
    const std::vector<KernelProtocol> protocols =
        wish.protocol ? std::vector{*wish.protocol} : AllowedProtocols(machine);
    std::vector<Kernel> kernels;
    for (const KernelAlgorithm algorithm : algorithms)
    {
        for (const KernelProtocol protocol : protocols)
        {
            if (!IsNvls(algorithm))
            {
                kernels.push_back({algorithm, protocol});
            }
        }
        // NVLS runs with Simple only (see MayUseNvls).
        if (IsNvls(algorithm))
        {
            kernels.push_back({algorithm, KernelProtocol::Simple});
        }
    }
    return kernels;
}

std::string
FindObstacle(const Machine& machine, CollectiveType type, const KernelWish& wish)
{
    // The wish is of all-reduces.
    const bool isOfType = wish.algorithm && type == CollectiveType::AllReduce;
    return isOfType && !CanRunWish(machine, type, wish) ? DescribeNvlsObstacle(machine, wish) : "";
}

Kernel
ChooseKernel(const Machine& machine, CollectiveType type, const KernelWish& wish, double size)
{
    const TimeEstimate estimate(machine, type);
    double least = std::numeric_limits<double>::infinity();
    const std::vector<Kernel> allowed = AllowedKernels(machine, type, wish);
    Kernel chosen = allowed.front();
    for (const Kernel& kernel : allowed)
    {
        const double time = estimate.Of(kernel.algorithm, kernel.protocol, size);
        // Where estimates are equal, the kernel that is listed first wins: the ring, and LL among
        // its protocols.
        if (time < least)
        {
            least = time;
            chosen = kernel;
        }
    }
    return chosen;
}

} // namespace nadi::nccl
