// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/pytorch-calls.h"

namespace nadi
{

namespace
{

using CallKind = PytorchCall::Kind;

constexpr size_t NO_EVENT = KinetoNesting::NONE;

bool
IsRecord(const KinetoEvent& event)
{
    return event.name == "record_param_comms";
}

} // namespace

PytorchCalls::PytorchCalls(const KinetoTrace& device,
                           const KinetoNesting& nesting,
                           const PytorchHostTrace* host,
                           const PytorchHostLinks& links)
    : m_device(device)
    , m_nesting(nesting)
    , m_host(host)
    , m_links(links)
{
    for (size_t index = 0; index < device.events.size(); ++index)
    {
        const KinetoEvent& event = device.events[index];
        if (event.IsDeviceWork() || !IsRecord(event))
        {
            continue;
        }
        const CallKind kind = TellOperator(index).kind;
        // Messages are sorted by thread and begin: FindMessages looks for those of a thread in a
        // span of time.
        if (kind == CallKind::Send || kind == CallKind::Receive)
        {
            m_messages[{event.thread, event.startNs}].push_back(index);
        }
        else if (kind == CallKind::Wait)
        {
            m_waits.push_back(index);
        }
    }
}

/// Ranges count too, which are named after the library: "nccl:all_reduce". Calls of the runtime do
/// not, whatever their names are.
bool
PytorchCalls::IsCall(size_t event) const
{
    const KinetoEvent& candidate = m_device.events[event];
    return candidate.kind != KinetoEvent::Kind::Runtime &&
           (IsRecord(candidate) || IsCommunicationKernel(candidate.name));
}

PytorchCall
PytorchCalls::TellOperator(size_t event) const
{
    PytorchCall call = m_device.events[event].call.value_or(PytorchCall{});
    const size_t node = m_links.nodeOfEvent[event];
    if (m_host != nullptr && node != PytorchHostLinks::NONE && m_host->nodes[node].call)
    {
        call.Complete(*m_host->nodes[node].call);
    }
    return call;
}

/// Where the launch is not known, only the kernel itself tells.
PytorchCall
PytorchCalls::TellWork(size_t kernel, size_t launch) const
{
    // What goes first is kept: the arguments of the kernel, then the innermost record, then the
    // ranges within that record, and last the name of the kernel, which tells no more than a type.
    PytorchCall call = m_device.events[kernel].call.value_or(PytorchCall{});
    PytorchCall range;
    for (size_t event = launch; event != NO_EVENT; event = m_nesting.parent[event])
    {
        if (IsRecord(m_device.events[event]))
        {
            call.Complete(TellOperator(event));
            break; // what is around, such as a barrier, is made of this call
        }
        if (IsCall(event))
        {
            range.Complete(TellOperator(event));
        }
    }
    call.Complete(range);
    call.Complete(ParseKernelName(m_device.events[kernel].name));
    return call;
}

/// In the order in which they were called.
std::vector<PytorchCall>
PytorchCalls::FindMessages(int64_t thread, int64_t beginNs, int64_t endNs) const
{
    std::vector<PytorchCall> calls;
    const auto end = m_messages.lower_bound({thread, endNs});
    for (auto entry = m_messages.lower_bound({thread, beginNs}); entry != end; ++entry)
    {
        for (const size_t event : entry->second)
        {
            calls.push_back(TellOperator(event));
        }
    }
    return calls;
}

size_t
PytorchCalls::FindRecord(size_t event) const
{
    size_t around = event;
    while (around != NO_EVENT && !IsRecord(m_device.events[around]))
    {
        around = m_nesting.parent[around];
    }
    return around;
}

size_t
PytorchCalls::FindOperator(size_t event) const
{
    size_t outermost = NO_EVENT;
    for (size_t around = event; around != NO_EVENT; around = m_nesting.parent[around])
    {
        outermost = IsCall(around) ? around : outermost;
    }
    return outermost;
}

} // namespace nadi
