// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/msccl-file/msccl-step-reader.h"

#include "system/library/msccl-file/xml-element.h"

#include <fmt/format.h>

#include <limits>
#include <map>

namespace nadi
{

namespace
{

constexpr uint32_t MOST_STEPS = std::numeric_limits<uint32_t>::max();

const std::map<std::string, MscclAction> ACTIONS{{"s", MscclAction::Send},
                                                 {"r", MscclAction::Receive},
                                                 {"rcs", MscclAction::ReceiveCopySend},
                                                 {"rrc", MscclAction::ReceiveReduceCopy},
                                                 {"rrs", MscclAction::ReceiveReduceSend},
                                                 {"rrcs", MscclAction::ReceiveReduceCopySend},
                                                 {"cpy", MscclAction::Copy},
                                                 {"re", MscclAction::Reduce},
                                                 {"nop", MscclAction::Nothing}};

const std::map<std::string, MscclBuffer> BUFFERS{
    {"i", MscclBuffer::Input}, {"o", MscclBuffer::Output}, {"s", MscclBuffer::Scratch}};

void
CheckNumber(const XmlElement& element, size_t expected)
{
    // In the second form the element is called `op` and `step` is its number.
    const char* const name = element.Name() == "op" ? "step" : "s";
    const uint64_t number = element.Number(name, MOST_STEPS);
    if (number != expected)
    {
        element.Fail(fmt::format("{} is {}; number the steps of a thread block from 0, so that "
                                 "this is {}",
                                 name,
                                 number,
                                 expected));
    }
}

/// A nop moves nothing, so any count will do there.
uint32_t
ReadCount(const XmlElement& element, MscclAction action)
{
    const uint64_t count = element.Has("cnt") ? element.Number("cnt", MOST_STEPS) : 1;
    if (count == 0 && action != MscclAction::Nothing)
    {
        element.Fail("cnt is 0; write how many chunks it moves, 1 or more");
    }
    return static_cast<uint32_t>(count);
}

/// The step that must be complete first; none where both keys are -1 or absent.
std::optional<MscclStepId>
ReadWait(const XmlElement& element)
{
    const auto block = element.Index("depid", MOST_STEPS);
    const auto step = element.Index("deps", MOST_STEPS);
    if (block.has_value() != step.has_value())
    {
        element.Fail("has one of depid and deps; write both, the thread block and its step, or -1 "
                     "for both");
    }
    return block ? std::optional<MscclStepId>({*block, *step}) : std::nullopt;
}

void
CheckPeers(const XmlElement& element, MscclAction action, const MscclThreadBlock& block)
{
    if (Sends(action) && !block.sendPeer)
    {
        element.Fail("sends, but its thread block has no peer for that; write send=\"...\" there");
    }
    if (Receives(action) && !block.receivePeer)
    {
        element.Fail(
            "receives, but its thread block has no peer for that; write recv=\"...\" there");
    }
}

} // namespace

MscclPlace
MscclStepReader::ReadPlace(const XmlElement& element,
                           const char* buffer,
                           const char* offset,
                           uint32_t count) const
{
    const MscclBuffer which = element.OneOf(buffer, BUFFERS);
    const uint32_t size = m_gpu.chunks[static_cast<size_t>(which)];
    const uint64_t first = element.Number(offset, MOST_STEPS);
    // Both are below 2^32, so the sum of 64 bits cannot overflow.
    if (first + count > size)
    {
        element.Fail(fmt::format("chunks {} to {} are past the end of buffer {}, which has {}; "
                                 "write smaller {} or cnt, or a larger {}_chunks",
                                 first,
                                 first + count - 1,
                                 element.Text(buffer),
                                 size,
                                 offset,
                                 element.Text(buffer)));
    }
    return {which, static_cast<uint32_t>(first)};
}

void
MscclStepReader::ReadPlaces(const XmlElement& element, MscclStep& step) const
{
    const bool hasOnePlace = element.Has("buf");
    // These steps work between two places of the same GPU, which one place cannot name.
    const bool needsTwo = step.action == MscclAction::Copy || step.action == MscclAction::Reduce;
    if (hasOnePlace && needsTwo)
    {
        element.Fail("has one place, but needs two; write srcbuf, srcoff, dstbuf and dstoff");
    }
    if (HasSource(step.action))
    {
        step.source = hasOnePlace ? ReadPlace(element, "buf", "off", step.count)
                                  : ReadPlace(element, "srcbuf", "srcoff", step.count);
    }
    if (HasDestination(step.action))
    {
        step.destination = hasOnePlace ? ReadPlace(element, "buf", "off", step.count)
                                       : ReadPlace(element, "dstbuf", "dstoff", step.count);
    }
}

MscclStep
MscclStepReader::Read(const XmlElement& element, const MscclThreadBlock& block) const
{
    // `hasdep` is allowed and not read: it marks a step that others wait for, and those name the
    // step in `depid` and `deps`.
    element.CheckAttributes({"s",
                             "step",
                             "type",
                             "srcbuf",
                             "srcoff",
                             "dstbuf",
                             "dstoff",
                             "buf",
                             "off",
                             "cnt",
                             "depid",
                             "deps",
                             "hasdep"});
    CheckNumber(element, block.steps.size());
    MscclStep step;
    step.action = element.OneOf("type", ACTIONS);
    step.count = ReadCount(element, step.action);
    step.waitsFor = ReadWait(element);
    step.line = element.Line();
    CheckPeers(element, step.action, block);
    ReadPlaces(element, step);
    return step;
}

} // namespace nadi
