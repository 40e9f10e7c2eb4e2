// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/network-backend.h"

#include <cstddef>
#include <vector>

namespace nadi::test
{

/// A network that carries nothing: its counters are what a test writes into them.
class ScriptedLinks : public NetworkBackend
{
  public:
    explicit ScriptedLinks(size_t linkCount)
        : links(linkCount)
    {
    }

    void SetListener(DeliveryListener&) override
    {
    }

    void Send(const Message&) override
    {
    }

    void CloseStream(StreamId) override
    {
    }

    LinkCounters ReadLink(LinkId link) const override
    {
        return links.at(link.value);
    }

    NetworkTotals ReadTotals() const override
    {
        return {};
    }

    std::vector<LinkCounters> links; ///< by LinkId
};

} // namespace nadi::test
