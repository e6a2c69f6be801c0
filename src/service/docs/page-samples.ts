/** A Swagger UI plugin for the documentation page. It shows the code samples of an operation. */
export const samplePage = `
const serverUrl = new URL('.', location.href).href.replace(/\\/$/, '')
// The chosen language also applies to operations that are opened later.
let chosen = 0

function showSamples({ React }) {
  const create = React.createElement
  const environment = create(
    'p',
    { style: { overflowWrap: 'anywhere', marginBottom: 12 } },
    'In the environment: ',
    create('code', null, 'SEMBLANCE_URL=' + serverUrl),
    ', and a key as ',
    create('code', null, 'SEMBLANCE_KEY'),
  )
  const tabStyle = { padding: '4px 12px', borderRadius: '4px 4px 0 0', borderWidth: 1, boxShadow: 'none' }
  // The style that Swagger UI uses for sent requests.
  const chosenStyle = { ...tabStyle, background: '#333', color: '#fff' }
  // The languages for which Swagger UI has syntax colours.
  const coloured = { Shell: 'bash', JavaScript: 'javascript' }
  function Samples({ samples, getComponent }) {
    const [at, choose] = React.useState(chosen)
    const button = ({ label }, index) => {
      const isChosen = index === at
      return create(
        'button',
        {
          key: label,
          type: 'button',
          className: isChosen ? 'btn active' : 'btn',
          'aria-pressed': isChosen,
          style: isChosen ? chosenStyle : tabStyle,
          onClick: () => choose((chosen = index)),
        },
        label,
      )
    }
    const { lang, source } = samples[at]
    const HighlightCode = getComponent('HighlightCode', true)
    return create(
      'div',
      { className: 'code-samples' },
      create('div', { className: 'opblock-section-header' }, create('h4', null, 'Code samples')),
      create(
        'div',
        { className: 'opblock-description-wrapper curl-command' },
        environment,
        samples.map(button),
        create(HighlightCode, { language: coloured[lang], canCopy: true }, source),
      ),
    )
  }
  const withSamples = (Responses, { getComponent, specSelectors }) => (props) => {
    const at = ['paths', props.path, props.method, 'x-codeSamples']
    const samples = specSelectors.specJson().getIn(at)?.toJS()
    return create(
      React.Fragment,
      null,
      samples && create(Samples, { samples, getComponent }),
      create(Responses, props),
    )
  }
  return { wrapComponents: { responses: withSamples } }
}
`
