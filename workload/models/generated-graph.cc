// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/generated-graph.h"

#include <utility>

namespace nadi
{

GeneratedGraph::Id
GeneratedGraph::Add(ExecutionNode node, const std::string& name, const Ids& after)
{
    node.id = m_nextId++;
    m_builder.AddNode(node, name, after);
    return node.id;
}

GeneratedGraph::Id
GeneratedGraph::AddCompute(const std::string& name, Work work, const Ids& after)
{
    const Id id =
        Add({.size = work.bytes, .operations = work.operations, .type = NodeType::Compute},
            name,
            after);
    // SetKernels is for the node that was added last.
    if (!work.kernels.empty())
    {
        m_builder.SetKernels(std::move(work.kernels));
    }
    return id;
}

GeneratedGraph::Id
GeneratedGraph::AddTimedCompute(const std::string& name, SimTime duration, const Ids& after)
{
    return Add({.durationPs = duration.Ps(), .type = NodeType::Compute}, name, after);
}

GeneratedGraph::Id
GeneratedGraph::AddDelay(const std::string& name, SimTime delay, const Ids& after)
{
    return Add({.durationPs = delay.Ps(), .type = NodeType::Delay}, name, after);
}

GeneratedGraph::Id
GeneratedGraph::AddMilestone(uint64_t number, const Ids& after)
{
    return Add({.tag = number, .type = NodeType::Milestone}, "milestone", after);
}

GeneratedGraph::Id
GeneratedGraph::AddUpdate(uint64_t parameters, uint64_t elementBytes, const Ids& after)
{
    return AddCompute("update",
                      WorkOf({.op = KernelOp::Optimizer,
                              .m = parameters,
                              .bytes = MultiplyCounts({3, parameters, elementBytes}),
                              .operations = MultiplyCounts({2, parameters})}),
                      after);
}

GeneratedGraph::Id
GeneratedGraph::AddCollective(const std::string& name, const Call& call, const Ids& after)
{
    const Id id = Add({.size = call.bytes,
                       .group = call.group,
                       .type = NodeType::Collective,
                       .collective = call.type},
                      name,
                      after);
    if (call.splits != nullptr)
    {
        m_builder.SetSplits(call.splits);
    }
    return id;
}

GeneratedGraph::Id
GeneratedGraph::AddAccess(const std::string& name, const Access& access, const Ids& after)
{
    return Add({.size = access.bytes,
                .group = access.group,
                .type = access.type,
                .isRemote = true,
                .isOfGroup = true},
               name,
               after);
}

GeneratedGraph::Id
GeneratedGraph::AddOwnAccess(const std::string& name, const Access& access, const Ids& after)
{
    return Add({.size = access.bytes, .type = access.type, .isRemote = true}, name, after);
}

GeneratedGraph::Id
GeneratedGraph::AddSend(const std::string& name, const Message& message, const Ids& after)
{
    return Add({.size = message.bytes,
                .tag = message.tag,
                .peer = message.peer,
                .type = NodeType::Send,
                .kind = message.kind},
               name,
               after);
}

GeneratedGraph::Id
GeneratedGraph::AddReceive(const std::string& name, const Message& message, const Ids& after)
{
    return Add({.size = message.bytes,
                .tag = message.tag,
                .peer = message.peer,
                .type = NodeType::Receive},
               name,
               after);
}

} // namespace nadi
