/** Other text is spelt. Checkpoints depend on the order. */
const english = `
a about above across active add after again all alt an and another answer any app apply are area areas arrow as ask at away
back badge badges bar bars be became before behind bell below beside between big bigger black blank block blue board boat book
both bottom box boxes brown button buttons by calendar call called cancel card cards cell cells change changed character chart
chat check checkbox checkboxes checked chip chips choose chosen circle clear click clock close closed cloud code collapse
colour coloured colours column comes connect contains content context copied copy corner correct count counter counters crop
cross ctrl current cursor cut cyan dark date day days decrease delete describe desktop dialog dialogs diamond different digit
disabled do does done double down download drag drop dropdown dropdowns each edit eight eighth else empty enabled end ends
enter entry error escape every exactly exit expand false far field fields fifth file files fill filled find finish finished
first five flag focus focused folder folders for form found four fourth from front full game gear get give go goal gold green
grey guide half happened has heading heart help here hero hexagon hidden high highest hit hold home hour house hover how icon
icons if image in increase input insert inside instead into is it item items its key keyboard keys label labelled labels large
larger largest last lead leads left leftmost less let letter letters level light like lime line lines link links list lists
lock long low lower lowest magenta mail make many map mark marked maximum maze menu menus message messages middle minimum
minus minute month more most mouse move moved moving much name named names navy near next nine ninth no none not nothing now
number numbers of off ok on once one only onto open opened opens option options or orange order other out oval over page pages
paste path pause pentagon percent phone pick picture pill pink place play player please plus point pop popup press pressed
previous price progress pull purple put question radio raise range reach read reads red release remove rename reorder replace
right rightmost ring root row rows same save says screen scroll search second section see select selected selection send set
settings seven seventh shape shaped shapes share sheet shift shortcut show shown shows side sign site six sixth size slide
slider sliders slot small smaller smallest so solve some sort space square stands star start starts state stay step stepper
steps still stop submit surname swatch switch switched switches tab table tabs tag tap task teal tell ten tenth text texts
than that the their them then there these thing things third this three through tick ticked tile tiles time times title titles
to today toggle tool toolbar tooltip tooltips top total track trash tree triangle true turn turned two type typed unchecked
unchosen under undo unmark untick unticked until up update upload upper use user value view violet visible wait walk was way
week went what when where which white whole whose wide widget width window with without word words work write written wrong
year yellow yes yet you your zero zoom
`;

export const vocabularyWords: readonly string[] = english.trim().split(/\s+/);
