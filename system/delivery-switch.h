// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/message.h"
#include "system/collective-engine.h"
#include "system/point-to-point.h"

namespace nadi
{

/// Passes a delivery on to whoever owns its stream.
class DeliverySwitch : public DeliveryListener
{
  public:
    DeliverySwitch(CollectiveEngine& collectives, PointToPoint& pointToPoint)
        : m_collectives(collectives)
        , m_pointToPoint(pointToPoint)
    {
    }

    void OnMessageDelivered(const Delivery& delivery) override
    {
        if (delivery.message.stream == POINT_TO_POINT_STREAM)
        {
            m_pointToPoint.OnMessageDelivered(delivery);
        }
        else
        {
            m_collectives.OnMessageDelivered(delivery);
        }
    }

    void ExpectDelivery(const Message& message) const override
    {
        if (message.stream != POINT_TO_POINT_STREAM)
        {
            m_collectives.ExpectDelivery(message);
        }
    }

  private:
    CollectiveEngine& m_collectives;
    PointToPoint& m_pointToPoint;
};

} // namespace nadi
