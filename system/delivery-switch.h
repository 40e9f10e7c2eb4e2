// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/message.h"
#include "system/collective-engine.h"
#include "system/point-to-point.h"
#include "system/remote-memory/remote-memory.h"

namespace nadi
{

/// Passes a delivery on to whoever owns its stream.
class DeliverySwitch : public DeliveryListener
{
  public:
    /// `memory` is absent where no access goes through the network.
    DeliverySwitch(CollectiveEngine& collectives,
                   PointToPoint& pointToPoint,
                   RemoteMemory* memory = nullptr)
        : m_collectives(collectives)
        , m_pointToPoint(pointToPoint)
        , m_memory(memory)
    {
    }

    void OnMessageDelivered(const Delivery& delivery) override
    {
        if (IsPointToPointStream(delivery.message.stream))
        {
            m_pointToPoint.OnMessageDelivered(delivery);
        }
        else if (IsMemoryStream(delivery.message.stream))
        {
            m_memory->OnMessageDelivered(delivery);
        }
        else
        {
            m_collectives.OnMessageDelivered(delivery);
        }
    }

    void ExpectDelivery(const Message& message) const override
    {
        if (!IsPointToPointStream(message.stream) && !IsMemoryStream(message.stream))
        {
            m_collectives.ExpectDelivery(message);
        }
    }

  private:
    CollectiveEngine& m_collectives;
    PointToPoint& m_pointToPoint;
    RemoteMemory* m_memory;
};

} // namespace nadi
