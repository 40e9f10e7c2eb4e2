// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/msccl-file/msccl-messages.h"

#include "common/error.h"
#include "common/text.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace nadi
{

namespace
{

/// (sending GPU, receiving GPU, channel).
using Connection = std::tuple<uint32_t, uint32_t, uint32_t>;

/// One end of a connection: the thread block, and its steps that use it.
struct ConnectionEnd
{
    uint32_t gpu = 0;
    uint32_t block = 0;
    std::vector<uint32_t> steps;
};

using ConnectionEnds = std::map<Connection, ConnectionEnd>;

std::string
DescribeConnection(const Connection& connection)
{
    const auto [from, to, channel] = connection;
    return fmt::format("GPU {} to GPU {} on channel {}", from, to, channel);
}

void
AddEnd(const std::string& where,
       const Connection& connection,
       ConnectionEnd end,
       ConnectionEnds& ends)
{
    // A thread block that names a peer, but has no step for it, is no end.
    if (!end.steps.empty() && !ends.emplace(connection, std::move(end)).second)
    {
        throw ConfigError(where,
                          fmt::format("<tb>: another thread block serves {} already; choose "
                                      "another channel",
                                      DescribeConnection(connection)));
    }
}

/// The steps of the block that send (or receive), in their order, which is that of the messages. A
/// fused step is in the ends of both of its connections.
ConnectionEnd
MakeEnd(const MscclAlgorithm& algorithm, uint32_t gpu, uint32_t block, bool (*uses)(MscclAction))
{
    ConnectionEnd end{gpu, block, {}};
    const std::vector<MscclStep>& steps = algorithm.gpus[gpu].blocks[block].steps;
    for (uint32_t step = 0; step < steps.size(); ++step)
    {
        if (uses(steps[step].action))
        {
            end.steps.push_back(step);
        }
    }
    return end;
}

struct AllEnds
{
    ConnectionEnds sending;
    ConnectionEnds receiving;
};

/// The two ends of all connections. A connection joins one thread block of the sender to one of the
/// receiver, so the order of steps in these two blocks says which send meets which receive.
AllEnds
FindEnds(const MscclAlgorithm& algorithm)
{
    AllEnds ends;
    for (uint32_t gpu = 0; gpu < algorithm.gpus.size(); ++gpu)
    {
        const std::vector<MscclThreadBlock>& blocks = algorithm.gpus[gpu].blocks;
        for (uint32_t index = 0; index < blocks.size(); ++index)
        {
            const MscclThreadBlock& block = blocks[index];
            if (block.sendPeer)
            {
                AddEnd(algorithm.Where(block.line),
                       {gpu, *block.sendPeer, block.channel},
                       MakeEnd(algorithm, gpu, index, &Sends),
                       ends.sending);
            }
            if (block.receivePeer)
            {
                AddEnd(algorithm.Where(block.line),
                       {*block.receivePeer, gpu, block.channel},
                       MakeEnd(algorithm, gpu, index, &Receives),
                       ends.receiving);
            }
        }
    }
    return ends;
}

[[noreturn]] void
ThrowUneven(const MscclAlgorithm& algorithm,
            const Connection& connection,
            const ConnectionEnd& end,
            size_t sends,
            size_t receives)
{
    throw ConfigError(algorithm.Where(algorithm.gpus[end.gpu].blocks[end.block].line),
                      fmt::format("<tb>: {} has {} sends but {} receives; write as many of both",
                                  DescribeConnection(connection),
                                  sends,
                                  receives));
}

void
CheckCounts(const MscclAlgorithm& algorithm, const MscclMessage& message)
{
    const MscclStep& sender = algorithm.StepAt(message.sender);
    const MscclStep& receiver = algorithm.StepAt(message.receiver);
    if (sender.count != receiver.count)
    {
        throw ConfigError(algorithm.Where(sender.line),
                          fmt::format("<step>: sends {}, but {} receives {}; write the "
                                      "same cnt",
                                      CountText(sender.count, "chunk"),
                                      algorithm.Where(receiver.line),
                                      receiver.count));
    }
}

} // namespace

std::vector<MscclMessage>
MatchMscclMessages(const MscclAlgorithm& algorithm)
{
    const AllEnds ends = FindEnds(algorithm);
    // Receivers may wait for a sender that does not exist. The loop below begins at the senders and
    // would not see such receivers.
    for (const auto& [connection, end] : ends.receiving)
    {
        if (ends.sending.count(connection) == 0)
        {
            ThrowUneven(algorithm, connection, end, 0, end.steps.size());
        }
    }
    std::vector<MscclMessage> messages;
    for (const auto& [connection, sending] : ends.sending)
    {
        const auto found = ends.receiving.find(connection);
        const size_t receives = found == ends.receiving.end() ? 0 : found->second.steps.size();
        if (receives != sending.steps.size())
        {
            ThrowUneven(algorithm, connection, sending, sending.steps.size(), receives);
        }
        // The receiving end was found: a sending end has at least one step, and there are as many
        // receives.
        const ConnectionEnd& receiving = found->second;
        for (size_t at = 0; at < receives; ++at)
        {
            messages.push_back({{sending.gpu, {sending.block, sending.steps[at]}},
                                {receiving.gpu, {receiving.block, receiving.steps[at]}}});
            CheckCounts(algorithm, messages.back());
        }
    }
    return messages;
}

} // namespace nadi
