// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/pytorch-host-links.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace nadi
{

namespace
{

using EventKind = KinetoEvent::Kind;
/// Indices of the operators of a thread, by name, in the order of their begin.
using Operators = std::map<std::string_view, std::vector<size_t>>;
using Threads = std::map<int64_t, Operators>;

/// The host trace has ranges that the program marks among its operators, too.
bool
IsOperator(const KinetoEvent& event)
{
    return event.kind == EventKind::Operator || event.kind == EventKind::Annotation;
}

bool
HasRecordFunctions(const KinetoTrace& device)
{
    return std::any_of(device.events.begin(),
                       device.events.end(),
                       [](const KinetoEvent& event) { return event.recordFunction.has_value(); });
}

/// Links events and nodes of one id, if their names agree as well.
void
LinkByRecordFunction(const PytorchHostTrace& host,
                     const KinetoTrace& device,
                     PytorchHostLinks& links)
{
    std::unordered_map<uint64_t, size_t> nodes;
    for (size_t index = 0; index < host.nodes.size(); ++index)
    {
        nodes.emplace(host.nodes[index].recordFunction, index);
    }
    for (size_t index = 0; index < device.events.size(); ++index)
    {
        const KinetoEvent& event = device.events[index];
        const auto found = nodes.find(event.recordFunction.value_or(0));
        // An id counts from the begin of the profile, so those of other recordings fit as well.
        const bool isSame = found != nodes.end() && event.recordFunction.value_or(0) != 0 &&
                            host.nodes[found->second].name == event.name;
        links.nodeOfEvent[index] = isSame ? found->second : PytorchHostLinks::NONE;
    }
}

Threads
GroupHostOperators(const PytorchHostTrace& host)
{
    std::vector<size_t> order;
    for (size_t index = 0; index < host.nodes.size(); ++index)
    {
        if (host.nodes[index].recordFunction != 0)
        {
            order.push_back(index);
        }
    }
    // Ids of record functions are given at the begin of an operator, those of nodes at its end.
    std::stable_sort(order.begin(),
                     order.end(),
                     [&host](size_t left, size_t right) {
                         return host.nodes[left].recordFunction < host.nodes[right].recordFunction;
                     });
    Threads threads;
    for (const size_t index : order)
    {
        threads[host.nodes[index].thread][host.nodes[index].name].push_back(index);
    }
    return threads;
}

Threads
GroupKinetoOperators(const KinetoTrace& device)
{
    std::vector<size_t> order;
    for (size_t index = 0; index < device.events.size(); ++index)
    {
        if (IsOperator(device.events[index]))
        {
            order.push_back(index);
        }
    }
    std::stable_sort(order.begin(),
                     order.end(),
                     [&device](size_t left, size_t right)
                     {
                         // Of operators that begin at one time, the longer one lies around the
                         // other, so it began first.
                         const KinetoEvent& one = device.events[left];
                         const KinetoEvent& other = device.events[right];
                         return std::pair(one.startNs, -one.endNs) <
                                std::pair(other.startNs, -other.endNs);
                     });
    Threads threads;
    for (const size_t index : order)
    {
        threads[device.events[index].thread][device.events[index].name].push_back(index);
    }
    return threads;
}

/// How many operators of two threads have names in common.
size_t
CountCommon(const Operators& host, const Operators& device)
{
    size_t common = 0;
    for (const auto& [name, nodes] : host)
    {
        const auto found = device.find(name);
        common += found == device.end() ? 0 : std::min(nodes.size(), found->second.size());
    }
    return common;
}

void
LinkThread(const Operators& host, const Operators& device, PytorchHostLinks& links)
{
    for (const auto& [name, nodes] : host)
    {
        const auto found = device.find(name);
        // If one trace lacks an operator, nothing tells which one, and all behind it would be
        // linked wrongly.
        if (found == device.end() || found->second.size() != nodes.size())
        {
            continue;
        }
        for (size_t index = 0; index < nodes.size(); ++index)
        {
            links.nodeOfEvent[found->second[index]] = nodes[index];
        }
    }
}

/// Each trace numbers its threads in its own way. So threads are paired by the names of their
/// operators, and each thread is paired once.
void
LinkByOrder(const PytorchHostTrace& host, const KinetoTrace& device, PytorchHostLinks& links)
{
    const Threads hostThreads = GroupHostOperators(host);
    Threads deviceThreads = GroupKinetoOperators(device);
    std::vector<std::tuple<size_t, int64_t, int64_t>> pairs; // names in common, threads
    for (const auto& [hostThread, hostOperators] : hostThreads)
    {
        for (const auto& [deviceThread, deviceOperators] : deviceThreads)
        {
            pairs.emplace_back(
                CountCommon(hostOperators, deviceOperators), hostThread, deviceThread);
        }
    }
    // The pairs with most names in common are linked first. Of equal ones the order of threads
    // decides, so that the result is the same each time.
    std::sort(pairs.rbegin(), pairs.rend());
    std::map<int64_t, bool> isLinked;
    for (const auto& [common, hostThread, deviceThread] : pairs)
    {
        const auto found = deviceThreads.find(deviceThread);
        if (common > 0 && found != deviceThreads.end() && !isLinked[hostThread])
        {
            LinkThread(hostThreads.at(hostThread), found->second, links);
            isLinked[hostThread] = true;
            deviceThreads.erase(found);
        }
    }
}

/// Operators of the host trace that no event is.
size_t
CountUnlinked(const PytorchHostTrace& host, const PytorchHostLinks& links)
{
    std::vector<bool> isLinked(host.nodes.size(), false);
    for (const size_t node : links.nodeOfEvent)
    {
        if (node != PytorchHostLinks::NONE)
        {
            isLinked[node] = true;
        }
    }
    size_t count = 0;
    for (size_t index = 0; index < host.nodes.size(); ++index)
    {
        count += host.nodes[index].recordFunction != 0 && !isLinked[index] ? 1 : 0;
    }
    return count;
}

/// Throws ConfigError where too few operators are linked for both traces to be of one recording.
void
CheckLinks(const PytorchHostTrace& host, const KinetoTrace& device, const PytorchHostLinks& links)
{
    const auto operators = static_cast<size_t>(std::count_if(host.nodes.begin(),
                                                             host.nodes.end(),
                                                             [](const PytorchHostNode& node)
                                                             { return node.recordFunction != 0; }));
    const size_t linked = operators - links.unlinkedNodes;
    // Names that happen to be equally frequent in both are no sign of a common recording.
    const size_t least = HasRecordFunctions(device) ? 1 : std::max<size_t>(1, operators / 2);
    if (linked < least)
    {
        throw ConfigError(host.source,
                          fmt::format("has {} operators, of which {} are in {}; give the host and "
                                      "the device trace of one recording",
                                      operators,
                                      linked,
                                      device.source));
    }
}

} // namespace

PytorchHostLinks
LinkHostTrace(const PytorchHostTrace& host, const KinetoTrace& device)
{
    PytorchHostLinks links(device);
    if (HasRecordFunctions(device))
    {
        LinkByRecordFunction(host, device, links);
    }
    else
    {
        LinkByOrder(host, device, links);
    }
    links.unlinkedNodes = CountUnlinked(host, links);
    CheckLinks(host, device, links);
    return links;
}

} // namespace nadi
