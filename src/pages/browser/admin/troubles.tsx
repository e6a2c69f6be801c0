import type { components } from '../../../client/api.ts'
import { Moment } from '../moment.tsx'
import { whole } from './figures.ts'
import { number, Table } from './table.tsx'

interface Props {
  readonly figures: components['schemas']['ServiceOverview']
}

export const SlowRequests = ({ figures: { slow } }: Props) => (
  <Table
    title="Slow requests"
    count={slow.count}
    none="There were none since the server has started."
    columns={[
      number('Milliseconds'),
      { name: 'Request', is: 'words' },
      { name: 'About' },
      { name: 'Caller' },
      { name: 'Spent', is: 'words' },
      { name: 'When', is: 'whole' },
    ]}
    rows={slow.requests.map((each) => [
      whole(each.ms),
      `${each.method} ${each.route} ${each.status}`,
      [each.user, each.project].filter((part) => part !== undefined).join('/') || '–',
      each.caller,
      Object.entries(each.spent)
        .map(([part, ms]) => `${part} ${Math.round(ms)}`)
        .join(', ') || '–',
      <Moment at={each.at} />,
    ])}
  >
    <p class="soft note">
      {slow.above_ms === 0
        ? 'SERVICE_SLOWREQUEST is 0: none is counted.'
        : `Above ${whole(slow.above_ms)} ms (SERVICE_SLOWREQUEST), of this server; the slowest first.`}
    </p>
  </Table>
)

export const Refusals = ({ figures: { refusals } }: Props) => (
  <Table
    title="Refusals"
    count={refusals.count}
    none="There were none since the server has started."
    columns={[
      number('Times'),
      number('Status'),
      { name: 'Request', is: 'words' },
      { name: 'Last reason', is: 'words' },
      { name: 'Last time', is: 'whole' },
    ]}
    rows={refusals.kinds.map((each) => [
      whole(each.count),
      String(each.status),
      `${each.method} ${each.route}`,
      each.detail ?? '–',
      <Moment at={each.last_at} />,
    ])}
  >
    <p class="soft note">Of this server, the most frequent first.</p>
  </Table>
)
